/** A panel in place of the main buttons. When it closes, the focus returns to the button that opened it. */

import { useEffect, useRef, useState, type RefObject } from "react";

export interface Panel<T extends string> {
  readonly panel: T | null;
  readonly open: (which: T) => void;
  readonly close: () => void;
  /** The element around the buttons, each of which names with `data-opens` what it opens. */
  readonly root: RefObject<HTMLDivElement | null>;
}

export function usePanel<T extends string>(): Panel<T> {
  const [panel, setPanel] = useState<T | null>(null);
  const last = useRef<T | null>(null);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The buttons were unmounted while the panel was open, so the right one is searched for again.
    if (panel === null && last.current !== null)
      root.current?.querySelector<HTMLElement>(`[data-opens="${last.current}"]`)?.focus();
    last.current = panel;
  }, [panel]);
  return { panel, open: setPanel, close: () => setPanel(null), root };
}
