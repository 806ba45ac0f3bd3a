/** One option, with its number, its description, and a mark if it is recommended. */

import { useId } from "react";
import type { Choice } from "@askbridge/client";
import { Icon } from "../card/Icon.tsx";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { recommendation } from "./recommended.ts";

export interface OptionProps {
  readonly option: Choice;
  readonly index: number;
  readonly isMulti: boolean;
  readonly isChosen: boolean;
  /** Tab stops here; arrows reach the others. */
  readonly isReachable: boolean;
  /** Its preview is the one in view. */
  readonly isShown: boolean;
  readonly onTap: () => void;
  readonly onFocus: () => void;
  readonly onHover: ((isOver: boolean) => void) | undefined;
}

export function Option({ option, index, isMulti, isChosen, isReachable, isShown, onTap, onFocus, onHover }: OptionProps) {
  const words = useWords();
  const id = useId();
  const { label, isRecommended } = recommendation(option.label);
  return (
    <button
      type="button"
      className="ab-option"
      role={isMulti ? "checkbox" : "radio"}
      aria-checked={isChosen}
      aria-labelledby={isRecommended ? `${id}-label ${id}-mark` : `${id}-label`}
      {...(option.description ? { "aria-describedby": `${id}-about` } : {})}
      tabIndex={isReachable ? 0 : -1}
      data-option={index}
      data-shown={isShown ? "" : undefined}
      onClick={onTap}
      onFocus={onFocus}
      {...(onHover ? { onMouseEnter: () => onHover(true), onMouseLeave: () => onHover(false) } : {})}
    >
      <span className="ab-key" data-square={isMulti ? "" : undefined} aria-hidden="true">
        {isChosen ? <Icon of="check" /> : index + 1}
      </span>
      <span className="ab-option-words">
        <span className="ab-option-label">
          <span id={`${id}-label`}>
            <Seen text={label} />
          </span>
          {isRecommended && (
            <span id={`${id}-mark`} className="ab-recommended">
              <Icon of="lantern" />
              {words.recommended}
            </span>
          )}
        </span>
        {option.description && (
          <span id={`${id}-about`} className="ab-option-about">
            <Seen text={option.description} />
          </span>
        )}
      </span>
    </button>
  );
}
