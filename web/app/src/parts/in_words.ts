import type { Ask, NewAnswer } from "@askbridge/client";

/**
 * Words of the person as an answer to an ask, where that says what they mean. `null`: only closing the ask with these words
 * does. Nothing is ever allowed, approved or accepted by writing a sentence.
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
