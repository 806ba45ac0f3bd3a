/** Keys that work unless the person is typing: digits choose, j and k go from ask to ask, / goes to the filter. */

import { useEffect, useRef } from "react";
import { chooseByKey, isTyping } from "@askbridge/react";

export interface InboxKeys {
  readonly onStep: (by: 1 | -1) => void;
  readonly onFilter: () => void;
  readonly onLeave: () => void;
}

/** In the filter: Esc leaves it and keeps its text; Enter and Down go to the list. Returns whether it was one of these. */
export function leavesFilter(event: Pick<KeyboardEvent, "key" | "isComposing">, field: HTMLElement, toList: () => void): boolean {
  if (event.isComposing) return false;
  if (event.key === "Escape") field.blur();
  else if (event.key === "Enter" || event.key === "ArrowDown") toList();
  else return false;
  return true;
}

/** Focuses the selected row of the list, or the last focused one. */
export function focusList() {
  const row = document.querySelector<HTMLElement>(".ab-row[data-selected] .ab-row-main") ?? document.querySelector<HTMLElement>(".ab-row-main[tabindex='0']");
  (row ?? document.querySelector<HTMLElement>(".ab-row-main"))?.focus();
}

export function useInboxKeys(keys: InboxKeys) {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
      const { onStep, onFilter, onLeave } = latest.current;
      const card = document.querySelector<HTMLElement>(".ab-card");
      const isHandled = (() => {
        if (/^[1-9]$/.test(event.key)) return card !== null && chooseByKey(card, event.key);
        switch (event.key) {
          case "j":
            onStep(1);
            return true;
          case "k":
            onStep(-1);
            return true;
          case "/":
            onFilter();
            return true;
          case "Escape":
            // From the card, or from the body: the filter was just left.
            if (event.target !== document.body && !(event.target instanceof Element && event.target.closest(".ab-card"))) return false;
            onLeave();
            return true;
          default:
            return false;
        }
      })();
      if (isHandled) event.preventDefault();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}
