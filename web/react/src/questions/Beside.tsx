/** Free text beside the options, and a note beside the choice. */

import { useState } from "react";
import { Icon } from "../card/Icon.tsx";
import { useWords } from "../wording.tsx";
import type { QuestionFieldProps } from "./QuestionField.tsx";

export function Beside({ question, pick, onPick }: Pick<QuestionFieldProps, "question" | "pick" | "onPick">) {
  const words = useWords();
  const [noteOpen, setNoteOpen] = useState(false);
  const { options } = question;
  const showsNote = noteOpen || pick.note !== "";
  return (
    <div className="ab-beside" data-plain={options.length === 0 ? "" : undefined}>
      <label className="ab-field">
        <span className="ab-aloud">{words.yourWords}</span>
        {question.secret ? (
          <input
            className="ab-input"
            type="password"
            autoComplete="off"
            value={pick.text}
            placeholder={words.writeAnswer}
            onChange={(event) => onPick((before) => ({ ...before, text: event.target.value }))}
          />
        ) : (
          <textarea
            className="ab-input"
            rows={options.length > 0 ? 1 : 3}
            value={pick.text}
            placeholder={options.length > 0 ? words.somethingElse : words.writeAnswer}
            enterKeyHint="enter"
            onChange={(event) => onPick((before) => ({ ...before, text: event.target.value }))}
          />
        )}
      </label>
      {question.secret && <p className="ab-quiet">{words.secretAnswer}</p>}
      {showsNote ? (
        <label className="ab-field ab-note">
          <span className="ab-field-label">{words.note}</span>
          <textarea
            className="ab-input"
            rows={1}
            autoFocus={noteOpen && pick.note === ""}
            // Once touched it stays, even when it is emptied.
            onFocus={() => setNoteOpen(true)}
            value={pick.note}
            placeholder={words.notePlaceholder}
            onChange={(event) => onPick((before) => ({ ...before, note: event.target.value }))}
          />
        </label>
      ) : (
        options.length > 0 && (
          <button type="button" className="ab-button ab-add-note" data-tone="quiet" onClick={() => setNoteOpen(true)}>
            <Icon of="note" />
            {words.addNote}
          </button>
        )
      )}
    </div>
  );
}
