/** A container for content that may be too tall. Where it is cut, a fade says how much follows, and expands it. */

import { useEffect, useRef, useState, type HTMLAttributes } from "react";
import { useWords } from "../wording.tsx";

export interface TallProps extends HTMLAttributes<HTMLElement> {
  /** A `<pre>`, or a `<div>` if the content is not plain text. */
  readonly as?: "pre" | "div";
  /** The number of further lines that are not rendered at all. */
  readonly beyond?: number;
}

export function Tall({ as: Element = "pre", beyond = 0, children, ...rest }: TallProps) {
  const words = useWords();
  const box = useRef<HTMLElement>(null);
  const [below, setBelow] = useState(0);
  const [isWhole, setWhole] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element || typeof ResizeObserver === "undefined") return;
    const measure = () => {
      const linePx = Number.parseFloat(getComputedStyle(element).lineHeight) || 20;
      const px = element.scrollHeight - element.clientHeight - element.scrollTop;
      // Less than half a line is only the padding.
      setBelow(px < linePx / 2 ? 0 : Math.max(1, Math.round(px / linePx)));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    for (const child of [element.firstElementChild, element.lastElementChild]) if (child) observer.observe(child);
    element.addEventListener("scroll", measure, { passive: true });
    measure();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  });
  return (
    <div className="ab-tall" data-whole={isWhole ? "" : undefined} data-more={below > 0 ? "" : undefined}>
      <Element ref={box as never} tabIndex={0} {...rest}>
        {children}
      </Element>
      {below > 0 && (
        <button
          type="button"
          className="ab-tall-more"
          onClick={() => {
            setWhole(true);
            box.current?.focus({ preventScroll: true });
          }}
        >
          {words.linesBelow(below + beyond)}
        </button>
      )}
    </div>
  );
}
