/** Can the person still do something here? */

import { phaseOf, type AskView } from "@askbridge/client";

/** Whole; open, or too late for this turn and not answered since; and nothing of this device is on its way. */
export function isAnswerable(view: AskView): boolean {
  const { ask, sending } = view;
  // Nobody decides what they cannot read.
  if (ask.truncated) return false;
  if (sending.state === "queued" || sending.state === "sending" || sending.state === "held") {
    return sending.what === "extend" && phaseOf(view) === "open";
  }
  if (sending.state === "stored" && sending.late) return false;
  return phaseOf(view) === "open" || ((ask.state === "expired" || ask.state === "ruled") && ask.answerable && !ask.late);
}
