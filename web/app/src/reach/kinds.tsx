/** The kinds of channels: their icons, and what each looks like on the phone. */

import type { ReactNode } from "react";
import type { ReachWords } from "@askbridge/words";

export const KINDS = ["web_push", "ntfy", "telegram", "slack", "webhook", "command"] as const;
export type Kind = (typeof KINDS)[number];

export const isKind = (kind: string): kind is Kind => (KINDS as readonly string[]).includes(kind);

export function kindName(kind: string, words: ReachWords): string {
  // A device that registered itself: nobody adds one here.
  if (kind === "app") return words.kindApp;
  return isKind(kind) ? words[NAMES[kind]] : kind;
}

export const kindSentence = (kind: Kind, words: ReachWords): string => words[`${NAMES[kind]}More`];

const NAMES = {
  web_push: "kindWebPush", ntfy: "kindNtfy", telegram: "kindTelegram", slack: "kindSlack", webhook: "kindWebhook", command: "kindCommand",
} as const;

/** The icons are drawn for what arrives, and are no logos. */
const PATHS: Readonly<Record<Kind, string>> = {
  web_push: "M3 5h18v14H3zM3 9h18M6 7h.01M9 7h.01M12 12.2a2 2 0 0 1 2 2V16h-4v-1.8a2 2 0 0 1 2-2z",
  ntfy: "M6 16V11a6 6 0 0 1 12 0v5zM4.5 16h15M10 19h4",
  telegram: "M3 11.5L21 4l-3 16-6-4.5zM12 15.5L21 4",
  slack: "M9 4v16M15 4v16M4 9h16M4 15h16",
  webhook: "M4 12h11M11 8l4 4-4 4M19 5v14",
  command: "M3 5h18v14H3zM7 9l3 3-3 3M12.5 15H17",
};

export function KindIcon({ kind }: { readonly kind: string }): ReactNode {
  return (
    <svg className="app-icon app-kind-icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
      <path d={isKind(kind) ? PATHS[kind] : PATHS.ntfy} fill="none" stroke="currentColor" strokeWidth="1.7" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
