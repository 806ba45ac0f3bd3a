/** Where the focus goes when the focused element disappears: a form turns into an answer, an answer is undone. */

import { useEffect, useRef, type RefObject } from "react";

/**
 * Keeps the focus in the card of a person who just acted in it. Never takes it from another element: only a focus that was
 * lost to the page is restored.
 */
export function useKeptFocus(card: RefObject<HTMLElement | null>, isAnswerable: boolean): { readonly acted: () => void } {
  const isActing = useRef(false);
  const before = useRef(isAnswerable);
  useEffect(() => {
    if (before.current === isAnswerable) return;
    before.current = isAnswerable;
    if (!isActing.current || (document.activeElement !== null && document.activeElement !== document.body)) return;
    isActing.current = false;
    const wanted = isAnswerable ? "[data-option][tabindex='0'], textarea, input" : ".ab-undo";
    (card.current?.querySelector<HTMLElement>(wanted) ?? card.current)?.focus();
  }, [card, isAnswerable]);
  return { acted: () => void (isActing.current = true) };
}
