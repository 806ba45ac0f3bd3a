/** The body of questions, one or many, as one form. */

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { NewAnswer, QuestionsAsk } from "@askbridge/client";
import type { BodyProps } from "../card/body.ts";
import { useDraft } from "../card/draft.ts";
import { Foot } from "../card/Foot.tsx";
import { useGiven } from "../card/given.ts";
import { useWords } from "../wording.tsx";
import { Given } from "./Given.tsx";
import {
  EMPTY,
  choose,
  count,
  fresh,
  isDone,
  nextOpen,
  read,
  saysAnything,
  takesOneTap,
  toAnswer,
  write,
  type Pick,
  type QuestionsDraft,
} from "./picks.ts";
import { QuestionField } from "./QuestionField.tsx";

/** Questions that are all open at once. Beyond: one at a time is open, and the others are a line each. */
const OPEN_MAX = 3;

export function QuestionsBody({ view, ask, isAnswerable, onAnswer, onDismiss, onDraft }: BodyProps<QuestionsAsk>) {
  const words = useWords();
  const { draft, change, ...leaving } = useDraft<QuestionsDraft>({
    kept: view.draft,
    fresh: useMemo(() => fresh(ask), [ask.id]),
    read: (raw) => read(raw, ask),
    write: useCallback((half: QuestionsDraft) => write(half, ask), [ask]),
    onDraft,
  });
  const [given, setGiven] = useGiven(view);
  const [missing, setMissing] = useState<"some" | "all" | null>(null);
  const [open, setOpen] = useState(() => nextOpen(read(view.draft, ask) ?? fresh(ask)) ?? 0);
  const [wish, setWish] = useState<{ question: number } | null>(null);
  const form = useRef<HTMLDivElement>(null);
  const several = ask.questions.length > 1;
  const folds = ask.questions.length > OPEN_MAX;

  // Only after the person asked to go there.
  useEffect(() => {
    if (!wish) return;
    const place = form.current?.querySelector(`[data-question="${wish.question}"]`);
    place?.querySelector<HTMLElement>("[data-option][tabindex='0'], textarea, input")?.focus();
  }, [wish]);

  const goTo = (question: number) => {
    setOpen(question);
    setWish({ question });
  };
  const send = (answer: NewAnswer) => {
    setGiven(answer);
    setMissing(null);
    onAnswer(answer);
  };
  const submit = (half: QuestionsDraft) => {
    const next = nextOpen(half);
    if (!saysAnything(half)) {
      setMissing("all");
      if (several) goTo(next ?? 0);
    } else if (next !== null) {
      setMissing("some");
      goTo(next);
    } else send(toAnswer(ask, half));
  };
  const edit = (at: number, how: (pick: Pick) => Pick) => {
    setMissing(null);
    change((half) => ({ ...half, picks: half.picks.map((pick, place) => (place === at ? how(pick) : pick)) }));
  };
  const skipRest = () => {
    const rest = { ...draft, picks: draft.picks.map((pick) => (isDone(pick) ? pick : { ...pick, skipped: true })) };
    change(() => rest);
    send(toAnswer(ask, rest));
  };

  if (!isAnswerable) return <Given ask={ask} given={given} />;
  const oneTap = leaving.parting === "" && takesOneTap(ask, draft);
  const answered = count(draft);
  return (
    <div ref={form} className="ab-questions" data-several={several ? "" : undefined}>
      {several && (
        <div className="ab-progress">
          <progress max={ask.questions.length} value={answered} aria-label={words.progress(answered, ask.questions.length)} />
          <span className="ab-quiet">{words.progress(answered, ask.questions.length)}</span>
        </div>
      )}
      {ask.questions.map((question, at) => (
        <QuestionField
          key={at}
          question={question}
          at={at}
          of={ask.questions.length}
          pick={draft.picks[at] ?? EMPTY}
          isFolded={folds && open !== at}
          onUnfold={() => (folds ? goTo(at) : undefined)}
          onPick={(pick) => edit(at, pick)}
          onTap={(option) => {
            if (oneTap) return send(toAnswer(ask, { ...draft, picks: [{ ...EMPTY, chosen: [option] }] }));
            edit(at, (pick) => choose(pick, option, question));
            // Where one question is open at a time, a single choice completes it.
            if (folds && !question.multiSelect && !(draft.picks[at] ?? EMPTY).chosen.includes(option)) {
              const next = nextOpen(
                { ...draft, picks: draft.picks.map((pick, place) => (place === at ? choose(pick, option, question) : pick)) },
                at,
              );
              if (next !== null) goTo(next);
            }
          }}
          onEnter={(option) => {
            const before = draft.picks[at] ?? EMPTY;
            const pick = option !== null && !isDone(before) ? choose(before, option, question) : before;
            const half = { ...draft, picks: draft.picks.map((other, place) => (place === at ? pick : other)) };
            if (pick !== before && !oneTap) change(() => half);
            const next = nextOpen(half, at);
            if (several && next !== null && isDone(pick)) goTo(next);
            else submit(half);
          }}
        />
      ))}
      <Foot
        {...leaving}
        ask={ask}
        onDismiss={onDismiss}
        note={
          <span role="alert">
            {missing === "all" && words.nothingAnswered}
            {missing === "some" && (
              <>
                {words.unanswered(ask.questions.length - answered)}{" "}
                <button type="button" className="ab-button" data-tone="quiet" onClick={skipRest}>
                  {words.skipTheRest}
                </button>
              </>
            )}
          </span>
        }
      >
        {/* While one tap is the answer, a button beside it would only be in the way. */}
        {oneTap && (ask.questions[0]?.options.length ?? 0) > 0 ? (
          <p className="ab-quiet ab-tap-hint">{words.tapHint}</p>
        ) : (
          <button
            type="button"
            className="ab-button"
            data-tone="main"
            aria-disabled={!saysAnything(draft)}
            onClick={() => submit(draft)}
          >
            {words.answer}
          </button>
        )}
      </Foot>
    </div>
  );
}
