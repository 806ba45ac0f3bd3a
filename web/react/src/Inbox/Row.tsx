/** One ask in the list. */

import { memo, useMemo } from "react";
import { phaseOf, type AskView } from "@askbridge/client";
import { Graves } from "../approval/Risks.tsx";
import { gravesOf } from "../approval/risk.ts";
import { Icon } from "../card/Icon.tsx";
import { proposal } from "../card/Standing.tsx";
import { whoOf } from "../card/who.ts";
import { Seen } from "../text/Seen.tsx";
import { ago, clock, stretch } from "../time.ts";
import { useSpoken, useWords } from "../wording.tsx";
import { headlineOf } from "./headline.ts";

export interface RowProps {
  readonly view: AskView;
  readonly now: number;
  readonly me: string | undefined;
  readonly at: number;
  readonly of: number;
  readonly isSelected: boolean;
  readonly isReachable: boolean;
  readonly onSelect: (id: string) => void;
  readonly onSnooze: ((id: string) => void) | undefined;
  readonly onFocus: (at: number) => void;
}

export const Row = memo(function Row({ view, now, me, at, of, isSelected, isReachable, onSelect, onSnooze, onFocus }: RowProps) {
  const words = useWords();
  const { ask } = view;
  const headline = headlineOf(ask);
  const isOpen = ask.state === "open";
  const graves = useMemo(() => (ask.kind === "approval" ? gravesOf(ask) : []), [ask]);
  const chip =
    ask.kind === "questions"
      ? ask.questions.length > 1
        ? words.questionsCount(ask.questions.length)
        : (ask.questions[0]?.header ?? words.kindQuestions)
      : ask.kind === "approval"
        ? words.kindApproval
        : ask.kind === "plan"
          ? words.kindPlan
          : words.kindForm;
  return (
    <li
      className="ab-row"
      data-selected={isSelected ? "" : undefined}
      data-open={isOpen ? "" : undefined}
      aria-setsize={of}
      aria-posinset={at + 1}
    >
      <button
        type="button"
        className="ab-row-main"
        data-row={at}
        data-ask={view.id}
        tabIndex={isReachable ? 0 : -1}
        aria-current={isSelected ? "true" : undefined}
        onClick={() => onSelect(view.id)}
        onFocus={() => onFocus(at)}
      >
        <span className="ab-row-top">
          <span className="ab-row-agent">
            <Seen text={ask.agent} />
          </span>
          <span className="ab-chip">
            <Seen text={chip} />
          </span>
          {ask.quorum && isOpen && <span className="ab-quiet">{words.quorumShort(ask.quorum.answered.length, ask.quorum.needed)}</span>}
          {view.draft !== null && view.draft !== undefined && isOpen && <span className="ab-quiet">{words.draftStarted}</span>}
          <Time view={view} now={now} />
        </span>
        <span className="ab-row-headline" data-mono={ask.kind === "approval" ? "" : undefined}>
          <Seen text={headline} />
        </span>
        <span className="ab-row-last">
          {isOpen && ask.truncated && ask.kind === "approval" && <span className="ab-row-shortened">{words.lookInside}</span>}
          {isOpen && <Graves graves={graves} />}
          {(!isOpen || graves.length < 2) && <Became view={view} now={now} me={me} />}
        </span>
      </button>
      {onSnooze && isOpen && (
        <button
          type="button"
          className="ab-button ab-row-snooze"
          data-tone="quiet"
          tabIndex={isReachable ? 0 : -1}
          aria-label={words.snoozeAloud(headline)}
          onClick={() => onSnooze(view.id)}
        >
          {words.snooze}
        </button>
      )}
    </li>
  );
});

function Time({ view: { ask }, now }: { readonly view: AskView; readonly now: number }) {
  const words = useWords();
  if (ask.state !== "open") return null;
  if (ask.deadline !== null) {
    const left = Date.parse(ask.deadline) - now;
    return (
      <span className="ab-row-time" data-soon={left < 120_000 ? "" : undefined}>
        <Icon of="clock" />
        {left > 0 ? clock(left, words) : words.timeIsUp}
      </span>
    );
  }
  return <span className="ab-row-time">{stretch(now - Date.parse(ask.asked_at), words)}</span>;
}

/** Shows where the ask comes from; or, once it has ended while in view, how. */
export function Became({ view, now, me }: { readonly view: AskView; readonly now: number; readonly me: string | undefined }) {
  const words = useWords();
  const language = useSpoken();
  const { ask } = view;
  const phase = phaseOf(view);
  const when = ask.settled_at === null ? null : ago(Date.parse(ask.settled_at), now, language);
  const by = ask.by !== null && when !== null ? whoOf(ask.by, me, words) : null;
  const text = (() => {
    switch (phase) {
      case "open":
        return [ask.machine, ask.context?.title, ask.context?.folder, ask.context?.branch].filter(Boolean).join(" · ");
      case "queued":
        return words.queued;
      case "sending":
        return words.sending;
      case "undoable":
        return ask.state === "proposed" ? proposal(ask, me, words) : words.held;
      case "stored":
      case "delivered":
        return by && when ? (ask.kind === "questions" ? words.answeredBy(by, when) : words.decidedBy(by, when)) : words.stored;
      case "dismissed":
        return by && when ? words.dismissedBy(by, when) : words.dismissed;
      case "expired":
        return words.expired;
      case "ruled":
        return words.ruledBy(ask.by && "rule" in ask.by ? ask.by.rule : "?");
      case "withdrawn":
        return words.withdrawn;
      case "overtaken":
        return words.overtaken;
    }
  })();
  return (
    <span className="ab-row-became" data-phase={phase}>
      <Seen text={text} />
    </span>
  );
}
