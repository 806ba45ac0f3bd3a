/** Where the focus goes when what had it is gone: a form turns into an answer, an answer is taken back. */

import { useEffect, useRef, type RefObject } from "react";

/**
 * Keeps the focus in the card of a person who just acted in it. Never takes it from anything else: only a focus that fell
 * off the page is picked up.
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
