/** Placeholder for a question that is about to arrive, or is being streamed. */

import type { Language } from "@askbridge/words";
import { Seen } from "../text/Seen.tsx";
import { Speaks, useWords } from "../wording.tsx";

export interface PreparingProps {
  readonly language: Language;
  /** The question, as far as it has arrived. */
  readonly text?: string;
  /** Its options, as far as they have arrived. */
  readonly options?: readonly string[];
}

export function Preparing({ language, ...rest }: PreparingProps) {
  return (
    <Speaks.Provider value={language}>
      <Waiting {...rest} />
    </Speaks.Provider>
  );
}

function Waiting({ text, options = [] }: Omit<PreparingProps, "language">) {
  const words = useWords();
  return (
    <article className="ab-card" data-phase="preparing" aria-busy="true">
      <p className="ab-preparing" role="status">
        {words.preparing}
      </p>
      {text ? (
        <p className="ab-question-text">
          <Seen text={text} />
        </p>
      ) : (
        <span className="ab-bar" data-wide="" />
      )}
      {options.map((label, at) => (
        <p key={at} className="ab-preparing-option">
          <span className="ab-key" aria-hidden="true">
            {at + 1}
          </span>
          <Seen text={label} />
        </p>
      ))}
      <span className="ab-bar" />
      {options.length === 0 && <span className="ab-bar" />}
    </article>
  );
}
