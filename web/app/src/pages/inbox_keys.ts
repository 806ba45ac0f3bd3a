/** Keys that work wherever nothing is being typed: digits choose, j and k lead from ask to ask, / leads to the filter. */

import { useEffect, useRef } from "react";
import { chooseByKey, isTyping } from "@askbridge/react";

export interface InboxKeys {
  readonly onStep: (by: 1 | -1) => void;
  readonly onFilter: () => void;
  readonly onLeave: () => void;
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
            if (!(event.target instanceof Element && event.target.closest(".ab-card"))) return false;
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
