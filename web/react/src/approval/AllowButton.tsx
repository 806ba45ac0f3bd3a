/**
 * Allows something once its end has been in view, or when the button is held; a short press before that scrolls to the end instead,
 * so that a keyboard or a screen reader gets there without scrolling.
 */

import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { useWords } from "../wording.tsx";
import type { Unread } from "./ends.tsx";

export interface AllowButtonProps {
  readonly label: string;
  /** What has to be read to its end first. `null`: nothing. */
  readonly ends: Unread;
  readonly disabled?: boolean;
  readonly onAllow: () => void;
}

const HOLD_MS = 1_200;

export function AllowButton({ label, ends, disabled = false, onAllow }: AllowButtonProps) {
  const words = useWords();
  const [isHolding, setHolding] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** The current press began before the end was seen: only holding it counts. */
  const isEarly = useRef(false);
  const guard = ends === null || ends.state === "seen" ? "free" : ends.state;

  const release = () => {
    clearTimeout(timer.current);
    setHolding(false);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const hold = () => {
    release();
    setHolding(true);
    timer.current = setTimeout(() => {
      setHolding(false);
      onAllow();
    }, HOLD_MS);
  };
  const isKey = ({ key }: KeyboardEvent) => key === "Enter" || key === " ";
  return (
    <button
      type="button"
      className="ab-button ab-allow"
      data-tone="main"
      data-guard={guard}
      data-holding={isHolding ? "" : undefined}
      disabled={disabled}
      aria-disabled={guard === "settling" ? true : undefined}
      onPointerDown={(event: PointerEvent) => {
        isEarly.current = guard !== "free";
        if (guard === "hidden" && event.button === 0) hold();
      }}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onContextMenu={(event) => guard !== "free" && event.preventDefault()}
      onKeyDown={(event) => {
        if (!isKey(event)) return;
        if (!event.repeat) isEarly.current = guard !== "free";
        if (!isEarly.current) return;
        event.preventDefault();
        if (!event.repeat && guard === "hidden") hold();
      }}
      onKeyUp={(event) => {
        if (!isKey(event) || !isEarly.current) return;
        event.preventDefault();
        isEarly.current = false;
        if (isHolding) ends?.show();
        release();
      }}
      onBlur={release}
      onClick={() => {
        const early = isEarly.current;
        isEarly.current = false;
        if (guard === "free" && !early) onAllow();
        else if (guard === "hidden") ends?.show();
      }}
    >
      {isHolding ? words.keepHolding : guard === "hidden" ? words.holdToAllow : label}
    </button>
  );
}
