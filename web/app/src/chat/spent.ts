import type { Item, Usage } from "@askbridge/client";

/** The total cost of the loaded turns. */
export function spent(items: readonly Item[]): Usage | null {
  const turns = items.flatMap((item) => (item.kind === "turn_ended" && item.usage ? [item.usage] : []));
  if (turns.length === 0) return null;
  return turns.reduce((total, turn) => ({
    costUsd: sum(total.costUsd, turn.costUsd),
    tokensIn: sum(total.tokensIn, turn.tokensIn),
    tokensOut: sum(total.tokensOut, turn.tokensOut),
  }));
}

const sum = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b);
