import type { Ask, By } from "@askbridge/client";
import type { AppWords } from "@askbridge/words";

export const nameOf = (by: By | null): string => (by === null ? "" : "rule" in by ? by.rule : by.person);

/** How an ask ended, in one line. */
export function outcome(ask: Ask, words: AppWords): string {
  switch (ask.state) {
    case "open": return words.isOpen;
    case "proposed": return words.isProposed;
    case "answered": return words.wasAnswered(nameOf(ask.by), said(ask, words));
    case "dismissed": return words.wasDismissed(nameOf(ask.by), ask.words ?? "");
    case "expired": return ask.late ? words.wasAnsweredLate(nameOf(ask.late.by)) : words.wasExpired;
    case "ruled": return words.wasRuled(nameOf(ask.by));
    case "withdrawn": return words.wasWithdrawn(ask.words ?? "");
    case "overtaken": return words.wasOvertaken(ask.words ?? "");
  }
}

function said(ask: Ask, words: AppWords): string {
  if (ask.kind === "questions") return Object.values(ask.answers as Record<string, string | string[]>).flat().join(" · ");
  const decision = (ask.answers as { decision?: string }).decision;
  switch (decision) {
    case "allow": return words.decidedAllow;
    case "deny": return words.decidedDeny;
    case "approve": return words.decidedApprove;
    case "send_back": return words.decidedSendBack;
    case "accept": return words.decidedAccept;
    case "decline": return words.decidedDecline;
    default: return "";
  }
}
