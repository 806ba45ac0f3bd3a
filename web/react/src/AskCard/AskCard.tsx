/** The card of an ask: every kind, in every state. Plain data in, callbacks out. */

import { lazy, Suspense, useId, useRef, type KeyboardEvent } from "react";
import { phaseOf, type AnswerHow, type AskView, type NewAnswer, type Ring } from "@askbridge/client";
import type { Language } from "@askbridge/words";
import { ApprovalBody } from "../approval/ApprovalBody.tsx";
import { isAnswerable } from "../card/answerable.ts";
import type { BodyProps } from "../card/body.ts";
import { Context } from "../card/Context.tsx";
import { Head } from "../card/Head.tsx";
import { Rules, useOffer, type CardRules } from "../card/rules.ts";
import { Rings } from "../card/Rings.tsx";
import { After, Before } from "../card/Standing.tsx";
import { FormBody } from "../form/FormBody.tsx";
import { PlanBody } from "../plan/PlanBody.tsx";
import { QuestionsBody } from "../questions/QuestionsBody.tsx";
import { Speaks } from "../wording.tsx";
import { CardBoundary } from "./CardBoundary.tsx";
import { useKeptFocus } from "./focus.ts";
import { chooseByKey, isTyping } from "./into_question.ts";
import { Shortened } from "./Shortened.tsx";

const Offer = lazy(() => import("../card/Offer.tsx"));

export interface AskCardProps {
  readonly view: AskView;
  readonly language: Language;
  /** `how.isUndoable`: the answer can be undone for a moment before it counts. */
  readonly onAnswer: (answer: NewAnswer, how?: AnswerHow) => void;
  readonly onDismiss: (words?: string) => void;
  /** Extends by this many seconds, or for ever with `null`. */
  readonly onExtend: (seconds: number | null) => void;
  readonly onUndo: () => void;
  /** Stores a draft, to be passed back as `view.draft`. `null`: there is none. */
  readonly onDraft: (draft: unknown) => void;
  /** Fetches the rest of an ask that a list has shortened. Leave it out where every ask is complete. */
  readonly onComplete?: () => void;
  /** The name of the current person, so that their own actions are shown as theirs. */
  readonly me?: string;
  /** Where it rang for the person. Lists and events of asks do not say it. */
  readonly rings?: readonly Ring[];
  /** Makes rules of decisions. Leave it out where the person may not. */
  readonly rules?: CardRules;
}

export function AskCard(props: AskCardProps) {
  return (
    <Speaks.Provider value={props.language}>
      <Rules.Provider value={props.rules ?? null}>
        <CardBoundary key={props.view.id} {...props}>
          <Card {...props} />
        </CardBoundary>
      </Rules.Provider>
    </Speaks.Provider>
  );
}

function Card({ view, language, onAnswer, onDismiss, onExtend, onUndo, onDraft, onComplete, me, rings = view.ask.rings ?? [] }: AskCardProps) {
  const titleId = useId();
  const { ask } = view;
  const phase = phaseOf(view);
  const answerable = isAnswerable(view);
  const card = useRef<HTMLElement>(null);
  const { acted } = useKeptFocus(card, answerable);
  const offer = useOffer(ask);
  const shared = {
    view,
    isAnswerable: answerable,
    onDraft,
    onAnswer: (answer: NewAnswer, how?: AnswerHow) => {
      acted();
      onAnswer(answer, ...(how ? [how] : []));
    },
    onDismiss: (words?: string) => {
      acted();
      onDismiss(words);
    },
  };
  return (
    <article
      ref={card}
      tabIndex={-1}
      onKeyDown={intoTheQuestion}
      className="ab-card"
      data-kind={ask.kind}
      data-phase={phase}
      data-answerable={answerable ? "" : undefined}
      lang={language}
      aria-labelledby={titleId}
    >
      <Head ask={ask} titleId={titleId} isWaiting={phase === "open"} onExtend={onExtend} />
      <Rings rings={rings} isOpen={ask.state === "open"} />
      <Before
        view={view}
        me={me}
        onUndo={() => {
          acted();
          onUndo();
        }}
      />
      {ask.truncated ? (
        <Shortened view={view} bytes={ask.truncated.bytes} onComplete={onComplete} />
      ) : (
        <>
          <Context text={ask.context?.text} />
          <Body {...shared} ask={ask} />
          {offer && (
            <Suspense fallback={null}>
              <Offer ask={ask} offer={offer} />
            </Suspense>
          )}
        </>
      )}
      {!answerable && !(ask.truncated && phase === "open") && (
        <After
          view={view}
          me={me}
          onUndo={() => {
            acted();
            onUndo();
          }}
        />
      )}
    </article>
  );
}

/** Digits choose wherever the focus is in a card; from the card itself the arrows lead into its question. */
function intoTheQuestion(event: KeyboardEvent<HTMLElement>) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const isArrow = event.target === event.currentTarget && /^Arrow(Up|Down)$/.test(event.key);
  if ((isArrow || /^[1-9]$/.test(event.key)) && chooseByKey(event.currentTarget, event.key)) event.preventDefault();
}

function Body({ ask, ...shared }: BodyProps<AskView["ask"]>) {
  switch (ask.kind) {
    case "questions":
      return <QuestionsBody ask={ask} {...shared} />;
    case "approval":
      return <ApprovalBody ask={ask} {...shared} />;
    case "plan":
      return <PlanBody ask={ask} {...shared} />;
    case "form":
      return <FormBody ask={ask} {...shared} />;
    default:
      throw new Error(`an ask of a kind that this page does not know: ${(ask as { kind: string }).kind}`);
  }
}
