/** A panel for some words: why it is denied, dismissed, sent back. */

import { useEffect, useId, useRef, type ReactNode } from "react";
import { useWords } from "../wording.tsx";
import { isSend } from "./strokes.ts";

export interface WordsPanelProps {
  readonly title: string;
  readonly label: string;
  readonly hint?: string;
  readonly words: string;
  readonly onWords: (words: string) => void;
  readonly actions: readonly PanelAction[];
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

export interface PanelAction {
  readonly label: string;
  readonly tone: "main" | "stop" | "plain";
  readonly needsWords?: boolean;
  readonly act: () => void;
}

/** Opened by the person, so it may take the focus. Closing it keeps the text. */
export function WordsPanel({ title, label, hint, words, onWords, actions, onClose, children }: WordsPanelProps) {
  const say = useWords();
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => void field.current?.focus(), []);
  const isReady = ({ needsWords }: PanelAction) => !needsWords || words.trim() !== "";
  return (
    <div
      className="ab-panel"
      role="group"
      aria-labelledby={`${id}-title`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <h3 id={`${id}-title`} className="ab-panel-title">
        {title}
      </h3>
      {children}
      <label className="ab-field">
        <span className="ab-field-label">{label}</span>
        <textarea
          ref={field}
          className="ab-input"
          rows={2}
          value={words}
          onChange={(event) => onWords(event.target.value)}
          onKeyDown={(event) => {
            const [first] = actions;
            if (!first || !isSend(event)) return;
            event.preventDefault();
            if (isReady(first)) first.act();
          }}
        />
      </label>
      {hint && <p className="ab-quiet">{hint}</p>}
      <div className="ab-panel-actions">
        <button type="button" className="ab-button" data-tone="quiet" onClick={onClose}>
          {say.cancel}
        </button>
        {[...actions].reverse().map((action) => (
          <button
            key={action.label}
            type="button"
            className="ab-button"
            data-tone={action.tone}
            disabled={!isReady(action)}
            onClick={action.act}
          >
            {action.label}
          </button>
        ))}
      </div>
    </div>
  );
}
