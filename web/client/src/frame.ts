/** Encodes frames, and refuses those that are too large: the server would close the connection. */

import { refused } from "./trouble.ts";
import type { ClientFrame, NewAnswer } from "./types.ts";
import type { Because } from "./view.ts";

/** Bytes of one frame that the server accepts (`FRAME_BYTES_MAX` in `crates/core/src/limits.rs`). */
export const FRAME_BYTES_MAX = 512 * 1024;
/** Bytes that the server accepts for a person's words in an answer, and for a changed input or plan. */
const ANSWER_TEXT_BYTES_MAX = 64 * 1024;
const CHANGED_TEXT_BYTES_MAX = 256 * 1024;

/** Returns a frame as text. `null`: it is too large for the server. */
export function textOf(frame: ClientFrame): string | null {
  const text = JSON.stringify(frame);
  // A UTF-16 unit takes at most three bytes in UTF-8, so short texts need not be encoded to be measured.
  if (text.length * 3 <= FRAME_BYTES_MAX) return text;
  return new TextEncoder().encode(text).length <= FRAME_BYTES_MAX ? text : null;
}

/** Why something was not sent, in the server's own words for an answer that is too long. */
export function tooLarge(answer?: NewAnswer): Because {
  const isChanged = answer !== undefined && ("input" in answer || "plan" in answer);
  const detail = `it is longer than ${isChanged ? CHANGED_TEXT_BYTES_MAX : ANSWER_TEXT_BYTES_MAX} bytes; shorten it`;
  return refused({ code: "answer_does_not_fit", detail, errors: [{ detail }], retry: false });
}
