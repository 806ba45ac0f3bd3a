/** The body of a form: fields to fill in, or a page to visit. */

import { useCallback, useMemo, useState } from "react";
import type { FormAsk, NewAnswer } from "@askbridge/client";
import { Decided } from "../approval/Decided.tsx";
import type { BodyProps } from "../card/body.ts";
import { useDraft } from "../card/draft.ts";
import { Foot } from "../card/Foot.tsx";
import { useGiven } from "../card/given.ts";
import { usePanel } from "../card/panel.ts";
import { WordsPanel } from "../card/Words.tsx";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { FieldRow } from "./FieldRow.tsx";
import { FRESH, content, read, write, wrong, type FormDraft } from "./values.ts";
import { Visit } from "./Visit.tsx";

export function FormBody({ view, ask, isAnswerable, onAnswer, onDismiss, onDraft }: BodyProps<FormAsk>) {
  const words = useWords();
  const { form } = ask;
  const { draft, change, ...leaving } = useDraft<FormDraft>({
    kept: view.draft,
    fresh: FRESH,
    read: useCallback((raw: unknown) => read(raw, form), [form]),
    write,
    onDraft,
  });
  const [isChecked, setChecked] = useState(false);
  const { panel, open, close, root } = usePanel<"decline">();
  const [given, setGiven] = useGiven(view);
  const problems = useMemo(
    () =>
      new Map(
        form.fields.flatMap((field) => {
          const why = wrong(field, draft.values, words);
          return why === null ? [] : [[field.name, why] as const];
        }),
      ),
    [form, draft.values, words],
  );

  const send = (answer: NewAnswer) => {
    setGiven(answer);
    onAnswer(answer);
  };
  const accept = () => {
    setChecked(true);
    const first = form.fields.findIndex(({ name }) => problems.has(name));
    if (first < 0) return send({ decision: "accept", content: content(form, draft.values) });
    root.current?.querySelector(`[data-field="${first}"]`)?.querySelector<HTMLElement>("input, textarea, select")?.focus();
  };
  return (
    <div ref={root} className="ab-form">
      <h3 className="ab-question-text">
        <Seen text={form.message} />
      </h3>
      {form.url !== undefined && <Visit url={form.url} isOpen={isAnswerable} />}
      {isAnswerable &&
        form.fields.map((field, at) => (
          <FieldRow
            key={field.name}
            at={at}
            field={field}
            value={draft.values[field.name]}
            problem={isChecked ? (problems.get(field.name) ?? null) : null}
            onValue={(value) =>
              change((half) => {
                const { [field.name]: _, ...rest } = half.values;
                return { ...half, values: value === undefined ? rest : { ...rest, [field.name]: value } };
              })
            }
            onEnter={accept}
          />
        ))}
      {!isAnswerable ? (
        <>
          <FilledIn ask={ask} given={given} />
          <Decided ask={ask} given={given} />
        </>
      ) : (
        <Foot
          {...leaving}
          ask={ask}
          onDismiss={onDismiss}
          panel={
            panel === "decline" && (
              <WordsPanel
                title={words.declineTitle}
                label={words.declineWords}
                words={draft.words}
                onWords={(said) => change((half) => ({ ...half, words: said }))}
                onClose={close}
                actions={[
                  {
                    label: words.declineSend,
                    tone: "stop",
                    act: () => send({ decision: "decline", ...(draft.words.trim() ? { words: draft.words.trim() } : {}) }),
                  },
                ]}
              />
            )
          }
        >
          <button type="button" className="ab-button" data-tone="stop-plain" data-opens="decline" onClick={() => open("decline")}>
            {words.decline}
          </button>
          <button type="button" className="ab-button" data-tone="main" onClick={accept}>
            {form.url !== undefined && form.fields.length === 0 ? words.visitDone : words.accept}
          </button>
        </Foot>
      )}
    </div>
  );
}

function FilledIn({ ask, given }: { readonly ask: FormAsk; readonly given: NewAnswer | null }) {
  const words = useWords();
  const known = ask.late?.answers ?? ask.answers;
  const filled =
    ("content" in known && typeof known.content === "object" ? (known.content as Record<string, unknown>) : given?.content) ?? {};
  const said = (value: unknown) =>
    value === true ? words.yes : value === false ? words.no : Array.isArray(value) ? value.join(", ") : String(value);
  const rows = ask.form.fields.filter(({ name }) => filled[name] !== undefined);
  if (rows.length === 0) return null;
  return (
    <dl className="ab-rest">
      {rows.map(({ name, title }) => (
        <div key={name}>
          <dt>
            <Seen text={title ?? name} />
          </dt>
          <dd>
            <Seen text={said(filled[name])} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
