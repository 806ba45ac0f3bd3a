/** Converts React's key events for the rules in `questions/keys.ts`. */

import type { KeyboardEvent } from "react";
import { deedOf, type Stroke } from "../questions/keys.ts";

export const strokeOf = (event: KeyboardEvent): Stroke => ({
  key: event.key,
  keyCode: event.keyCode,
  isComposing: event.nativeEvent.isComposing,
  shift: event.shiftKey,
  chord: event.ctrlKey || event.metaKey || event.altKey,
});

export const hasTouch = (): boolean => typeof matchMedia === "function" && matchMedia("(pointer: coarse)").matches;

/** Does this key submit a text field? Never while a word is being composed. */
export const isSend = (event: KeyboardEvent): boolean =>
  deedOf(strokeOf(event), { on: "text", option: 0, options: 0, touch: hasTouch() })?.does === "submit";
