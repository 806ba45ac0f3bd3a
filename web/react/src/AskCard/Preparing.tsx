/** The place of a question that is on its way: known to come, not here yet. */

import type { Language } from "@askbridge/words";
import { Speaks, useWords } from "../wording.tsx";

export function Preparing({ language, text }: { readonly language: Language; readonly text?: string }) {
  return (
    <Speaks.Provider value={language}>
      <Waiting {...(text ? { text } : {})} />
    </Speaks.Provider>
  );
}

function Waiting({ text }: { readonly text?: string }) {
  const words = useWords();
  return (
    <article className="ab-card" data-phase="preparing" aria-busy="true">
      <p className="ab-preparing" role="status">
        {words.preparing}
      </p>
      {text ? <p className="ab-question-text">{text}</p> : <span className="ab-bar" data-wide="" />}
      <span className="ab-bar" />
      <span className="ab-bar" />
    </article>
  );
}
