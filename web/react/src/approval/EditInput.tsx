/** Edits a tool's input before it runs. */

import { useEffect, useId, useRef, useState } from "react";
import { useWords } from "../wording.tsx";
import { useEnd } from "./ends.tsx";
import type { Editable } from "./tool.ts";

export interface EditInputProps {
  readonly editable: Editable;
  readonly text: string;
  /** What is wrong with it, in words. */
  readonly fault: string | null;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

export function EditInput({ editable, text, fault, onText, onClose }: EditInputProps) {
  const words = useWords();
  const state = useId();
  const isChanged = text !== editable.text;
  const field = useRef<HTMLTextAreaElement>(null);
  const end = useRef<HTMLSpanElement>(null);
  const [isCut, setCut] = useState(false);
  const measure = () => {
    const element = field.current;
    if (element) setCut(element.scrollHeight - element.clientHeight - element.scrollTop > 8);
  };
  useEffect(measure, [text]);
  useEnd(isCut ? field : end, { isCut, of: isChanged });
  return (
    <div className="ab-edit">
      <label className="ab-field">
        <span className="ab-field-label">
          {words.editInput}
          {editable.field && <code> {editable.field}</code>}
        </span>
        <textarea
          ref={field}
          onScroll={measure}
          className="ab-input ab-mono"
          autoFocus
          spellCheck={false}
          autoCapitalize="off"
          rows={Math.min(16, Math.max(3, text.split("\n").length))}
          value={text}
          aria-invalid={fault !== null}
          aria-describedby={state}
          onChange={(event) => onText(event.target.value)}
        />
      </label>
      <span ref={end} className="ab-end" tabIndex={-1} />
      <div className="ab-edit-state">
        <span id={state} role="status" className="ab-quiet">
          {fault ?? (isChanged ? words.editedHint : "")}
        </span>
        <button type="button" className="ab-button" data-tone="quiet" onClick={onClose}>
          {isChanged ? words.backToOriginal : words.cancel}
        </button>
      </div>
    </div>
  );
}
