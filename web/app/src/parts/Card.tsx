/** A card that is bound to the client. What breaks inside it shows what it was given, and still takes an answer in words. */

import { useState } from "react";
import type { AskView, NewAnswer } from "@askbridge/client";
import { AskCard, useClient } from "@askbridge/react";
import type { Language } from "@askbridge/words";
import { Boundary } from "../boundary.tsx";
import { useWords } from "../words.ts";
import { inWords } from "./in_words.ts";
import { Button } from "./parts.tsx";

export function Card({ view, language }: { readonly view: AskView; readonly language: Language }) {
  const client = useClient();
  return (
    <Boundary fallback={() => <Broken view={view} onAnswer={(answer) => client.answer(view.id, answer)} onDismiss={(words) => client.dismiss(view.id, words)} />}>
      <AskCard
        view={view}
        language={language}
        onAnswer={(answer) => client.answer(view.id, answer)}
        onDismiss={(words) => client.dismiss(view.id, words)}
        onExtend={(seconds) => client.extend(view.id, seconds)}
        onUndo={() => client.undo(view.id)}
        onDraft={(draft) => client.draft(view.id, draft)}
      />
    </Boundary>
  );
}

function Broken({ view, onAnswer, onDismiss }: {
  readonly view: AskView; readonly onAnswer: (answer: NewAnswer) => void; readonly onDismiss: (words: string) => void;
}) {
  const words = useWords();
  const [text, setText] = useState("");
  const send = () => {
    const said = inWords(view.ask, text.trim());
    if (said) onAnswer(said);
    else onDismiss(text.trim());
  };
  return (
    <section className="app-broken">
      <p className="app-trouble">{words.cardBroken}</p>
      <pre tabIndex={0}>{JSON.stringify(view.ask, null, 2)}</pre>
      <label className="app-field">
        <span>{words.answerInWords}</span>
        <textarea className="app-input" rows={3} value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      <Button kind="main" disabled={!text.trim()} onClick={send}>{words.send}</Button>
    </section>
  );
}
