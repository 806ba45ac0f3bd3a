/** One question: its text, its options, and free text. */

import { useId, useRef, useState, type KeyboardEvent } from "react";
import type { Question } from "@askbridge/client";
import { hasTouch, strokeOf } from "../card/strokes.ts";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { Beside } from "./Beside.tsx";
import { Folded } from "./Folded.tsx";
import { FIND_MS, deedOf, find } from "./keys.ts";
import { Option } from "./Option.tsx";
import type { Pick } from "./picks.ts";
import { choose } from "./picks.ts";
import { Previews } from "./Previews.tsx";

export interface QuestionFieldProps {
  readonly question: Question;
  readonly at: number;
  readonly of: number;
  readonly pick: Pick;
  /** Shown as one line. */
  readonly isFolded: boolean;
  readonly onUnfold: () => void;
  readonly onPick: (change: (pick: Pick) => Pick) => void;
  /** An option was pressed. */
  readonly onTap: (option: number) => void;
  /** Enter was pressed, on an option or in a text field. */
  readonly onEnter: (option: number | null) => void;
}

export function QuestionField(props: QuestionFieldProps) {
  return props.isFolded ? <Folded {...props} /> : <Unfolded {...props} />;
}

function Unfolded({ question, at, of, pick, onPick, onTap, onEnter }: QuestionFieldProps) {
  const words = useWords();
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const typed = useRef({ letters: "", at: 0 });
  const [focused, setFocused] = useState(pick.chosen[0] ?? 0);
  const [hovered, setHovered] = useState<number | null>(null);
  const { options } = question;
  const hasPreviews = options.some(({ preview }) => preview);

  const focusOption = (option: number) => {
    setFocused(option);
    root.current?.querySelector<HTMLElement>(`[data-option="${option}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const isText = target.matches("textarea, input");
    const isOption = target.hasAttribute("data-option");
    // Other buttons keep their own Enter and Space.
    if (!isText && !isOption && (event.key === "Enter" || event.key === " ") && !(event.ctrlKey || event.metaKey)) return;
    const deed = deedOf(strokeOf(event), {
      on: isText ? "text" : isOption ? "option" : "elsewhere",
      option: focused,
      options: options.length,
      touch: hasTouch(),
    });
    if (!deed) return;
    // A letter that matches nothing is left to the page.
    if (deed.does !== "find") event.preventDefault();
    switch (deed.does) {
      case "choose":
        onPick((before) => choose(before, deed.option, question));
        return focusOption(deed.option);
      case "focus":
        return focusOption(deed.option);
      case "find": {
        const now = event.timeStamp;
        typed.current = {
          letters: now - typed.current.at < FIND_MS ? typed.current.letters + deed.letter : deed.letter,
          at: now,
        };
        const found = find(
          options.map(({ label }) => label),
          typed.current.letters,
          focused,
        );
        if (found === null) return;
        event.preventDefault();
        return focusOption(found);
      }
      case "submit":
        return onEnter(isOption ? focused : null);
      case "leave":
        event.stopPropagation();
        return options.length > 0 ? focusOption(focused) : target.blur();
    }
  };

  if (pick.skipped) {
    return (
      <div className="ab-question" data-question={at} data-skipped="" role="group" aria-labelledby={`${id}-text`}>
        <h3 id={`${id}-text`} className="ab-question-text">
          <Seen text={question.question} />
        </h3>
        <p className="ab-skipped">
          {words.skipped}{" "}
          <button
            type="button"
            className="ab-button"
            data-tone="quiet"
            onClick={() => onPick((before) => ({ ...before, skipped: false }))}
          >
            {words.unskip}
          </button>
        </p>
      </div>
    );
  }
  return (
    <div ref={root} className="ab-question" role="group" data-question={at} aria-labelledby={`${id}-text`} onKeyDown={onKeyDown}>
      <div className="ab-question-head">
        {of > 1 && <span className="ab-quiet">{words.question(at + 1, of)}</span>}
        {question.header && (
          <span className="ab-chip">
            <Seen text={question.header} />
          </span>
        )}
        {of > 1 && (
          <button
            type="button"
            className="ab-button ab-skip"
            data-tone="quiet"
            aria-label={words.skipAloud(question.question)}
            onClick={() => onPick((before) => ({ ...before, skipped: true }))}
          >
            {words.skip}
          </button>
        )}
      </div>
      <h3 id={`${id}-text`} className="ab-question-text">
        <Seen text={question.question} />
      </h3>
      {question.multiSelect && options.length > 0 && (
        <p id={`${id}-how`} className="ab-quiet">
          {words.chooseSeveral}
        </p>
      )}
      {options.length > 0 && (
        <div className="ab-choice" data-previews={hasPreviews ? "" : undefined}>
          <div
            className="ab-options"
            role={question.multiSelect ? "group" : "radiogroup"}
            aria-labelledby={`${id}-text`}
            data-many={options.length > 9 && options.every(({ description }) => !description) ? "" : undefined}
          >
            {options.map((option, index) => (
              <Option
                key={index}
                option={option}
                index={index}
                isMulti={question.multiSelect}
                isChosen={pick.chosen.includes(index)}
                isReachable={index === focused}
                isShown={hasPreviews && index === (hovered ?? focused)}
                onTap={() => onTap(index)}
                onFocus={() => setFocused(index)}
                onHover={hasPreviews ? (is) => setHovered(is ? index : null) : undefined}
              />
            ))}
          </div>
          {hasPreviews && (
            <Previews
              options={options}
              shown={hovered ?? focused}
              chosen={pick.chosen}
              onShow={(option) => setFocused(option)}
              onTap={onTap}
            />
          )}
        </div>
      )}
      <Beside question={question} pick={pick} onPick={onPick} />
    </div>
  );
}
