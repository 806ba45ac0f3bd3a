/** Which answers are given with one tap, and may be a slip of the finger. */

import type { Ask, NewAnswer } from "./types.ts";

/** One question, one choice, nothing written. */
export function isOneTap(ask: Ask, answer: NewAnswer): boolean {
  if (ask.kind !== "questions" || ask.questions.length !== 1 || ask.questions[0]?.multiSelect) return false;
  if (answer.notes && Object.keys(answer.notes).length > 0) return false;
  const [given] = Object.values(answer.answers ?? {});
  if (given === null || given === undefined || Array.isArray(given)) return false;
  const options = ask.questions[0]?.options ?? [];
  return typeof given === "string" ? options.some(({ label }) => label === given) : given.options?.length === 1 && !given.text;
}
