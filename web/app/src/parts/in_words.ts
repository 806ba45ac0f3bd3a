import type { Ask, NewAnswer } from "@askbridge/client";

/**
 * Turns a person's words into an answer to an ask, where their meaning is clear. `null`: the ask can only be dismissed with
 * these words. Nothing is ever allowed, approved or accepted by writing a sentence.
 */
export function inWords(ask: Ask, text: string): NewAnswer | null {
  switch (ask.kind) {
    case "questions": {
      const [only, ...more] = ask.questions ?? [];
      return only && more.length === 0 ? { answers: { [only.question]: { text } } } : null;
    }
    case "approval": return { decision: "deny", words: text };
    case "plan": return { decision: "send_back", words: text };
    case "form": return { decision: "decline", words: text };
    default: return null;
  }
}
