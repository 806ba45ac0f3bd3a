/** Whether the person can still answer. */

import { phaseOf, type AskView } from "@askbridge/client";

/** Complete; open, or expired and not answered since; and nothing of this device is being sent. */
export function isAnswerable(view: AskView): boolean {
  const { ask, sending } = view;
  // A person must not decide what they cannot read.
  if (ask.truncated) return false;
  if (sending.state === "queued" || sending.state === "sending" || sending.state === "held") {
    return sending.what === "extend" && phaseOf(view) === "open";
  }
  if (sending.state === "stored" && sending.late) return false;
  return phaseOf(view) === "open" || ((ask.state === "expired" || ask.state === "ruled") && ask.answerable && !ask.late);
}
