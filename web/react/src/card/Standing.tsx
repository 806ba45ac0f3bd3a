/** The state of an ask, in a sentence or two: why it is parked, what the agent was told, who was first, how it ended. */

import { phaseOf, undoUntil, type AskView } from "@askbridge/client";
import type { CardWords } from "@askbridge/words";
import { useAhead, useNow } from "../now.ts";
import { Seen } from "../text/Seen.tsx";
import { ago, moment } from "../time.ts";
import { useSpoken, useWords } from "../wording.tsx";
import { Crossing } from "./Crossing.tsx";
import { Quorum } from "./Quorum.tsx";
import { refusal } from "./refusal.ts";
import { hostDown } from "./host_down.ts";
import { HostDown, isHostDown } from "./HostDown.tsx";
import { Notice } from "./Notice.tsx";
import { isAnswerable } from "./answerable.ts";
import { whoOf } from "./who.ts";

interface Shown {
  readonly view: AskView;
  readonly me: string | undefined;
}

/** Above the question: what a person should know before they answer. */
export function Before({ view, me, onUndo }: Shown & { readonly onUndo: () => void }) {
  const words = useWords();
  const language = useSpoken();
  const { ask, sending } = view;
  const isRefused = sending.state === "refused";
  const now = useNow(isRefused);
  const isOpen = ask.state === "open";
  return (
    <>
      {isRefused && (
        <Notice icon="alert" tone="stop">
          <p>{refusal(sending.because, me, now, words, language)}</p>
          {sending.because.parts.length > 0 && (
            <ul>
              {sending.because.parts.map((part, at) => (
                <li key={at}>
                  {part.question && (
                    <strong>
                      <Seen text={part.question} />:{" "}
                    </strong>
                  )}
                  {part.detail}
                </li>
              ))}
            </ul>
          )}
        </Notice>
      )}
      <Quorum ask={ask} me={me} {...(isAnswerable(view) ? { onUndo } : {})} />
      {isOpen && ask.stranded && (
        <Notice icon="broken" tone="lantern">
          <p>{isOverrule(ask) ? words.overruleWentOn : words.stranded}</p>
        </Notice>
      )}
      {isOpen && <HostDown ask={ask} />}
      {isOpen && ask.parked && !ask.stranded && !isHostDown(ask) && (
        <Notice icon="moon" tone="calm">
          <p>{words.parked}</p>
        </Notice>
      )}
      {ask.moved_to && (
        <Notice icon="out" tone="calm">
          <p>{words.moved}</p>
        </Notice>
      )}
      {ask.state === "expired" && <Told view={view} title={isOverrule(ask) ? words.overruleExpired : words.expired} />}
      {ask.state === "ruled" && <Told view={view} title={words.ruledBy(ask.by && "rule" in ask.by ? ask.by.rule : "?")} />}
    </>
  );
}

function Told({ view: { ask, ...view }, title }: { readonly view: AskView; readonly title: string }) {
  const words = useWords();
  const invites = isAnswerable({ ask, ...view }) ? (ask.state === "ruled" ? words.correct : words.answerLate) : null;
  return (
    <Notice icon="clock" tone="lantern">
      <p>
        <strong>{title}.</strong> {invites}
      </p>
      <Place by={ask.by} />
      {ask.verdict?.words && (
        <details className="ab-told">
          <summary>{words.expiredTold.replace(/[:：]$/, "")}</summary>
          <blockquote>
            <Seen text={ask.verdict.words} />
          </blockquote>
        </details>
      )}
    </Notice>
  );
}

const isOverrule = (ask: AskView["ask"]) => ask.kind === "approval" && ask.approval.overrule === true;

/** Where a rule is written. A bot's has no place. */
function Place({ by }: { readonly by: AskView["ask"]["by"] }) {
  if (by === null || !("rule" in by) || !by.file) return null;
  return (
    <p className="ab-quiet ab-mono">
      <bdi>
        <Seen text={by.line === undefined || by.line === null ? by.file : `${by.file}:${by.line}`} />
      </bdi>
    </p>
  );
}

/** Below the answer: how far it is. Read aloud as it changes. */
export function After({ view, me, onUndo }: Shown & { readonly onUndo: () => void }) {
  const words = useWords();
  const language = useSpoken();
  const phase = phaseOf(view);
  const until = undoUntil(view, useAhead());
  const now = useNow(until !== null || phase === "delivered" || phase === "stored" || phase === "dismissed");
  const { ask, sending } = view;
  const isTravelling = sending.state === "sending" || sending.state === "queued" || sending.state === "held";
  const left = until === null || until <= now ? 0 : Math.max(1, Math.floor((until - now) / 1000));
  // Only the person who answered can undo it.
  const isOurs = ask.state !== "proposed" || me === undefined || ask.by === null || "rule" in ask.by || ask.by.person === me;
  const settled = ask.settled_at === null ? null : ago(Date.parse(ask.settled_at), now, language);
  const delivered = ask.delivered_at === null ? null : moment(Date.parse(ask.delivered_at), now, language);
  const by = ask.by && !("rule" in ask.by) && settled ? whoOf(ask.by, me, words) : null;
  const proposed = proposal(ask, me, words);
  // What was not sent can be taken back as long as it waits here.
  const waitsHere = phase === "queued" && sending.state === "queued" && sending.what !== "undo";
  return (
    <footer className="ab-after" data-phase={phase}>
      {(phase === "undoable" || phase === "queued" || phase === "sending" || phase === "stored" || phase === "delivered") && (
        <Crossing
          reached={phase === "delivered" ? "agent" : phase === "stored" || ask.state === "proposed" ? "stored" : "you"}
          moves={phase !== "delivered" && phase !== "queued" && !ask.handed_at}
        />
      )}
      <div className="ab-after-words" role="status">
        {phase === "undoable" && <p>{ask.state === "proposed" ? proposed : words.held}</p>}
        {(phase === "queued" || (isTravelling && sending.state === "queued" && phase !== "undoable")) && <p>{words.queued}</p>}
        {(phase === "sending" || (sending.state === "sending" && phase !== "undoable" && phase !== "open")) && (
          <p>{words.sending}</p>
        )}
        {(phase === "stored" || phase === "delivered") && by && settled && (
          <p>{ask.kind === "questions" ? words.answeredBy(by, settled) : words.decidedBy(by, settled)}</p>
        )}
        {phase === "stored" && (
          <p className="ab-quiet">{ask.handed_at ? words.handed : ask.certain === false ? words.uncertain : ((isHostDown(ask) ? hostDown(ask.host, now, words, language) : null) ?? words.stored)}</p>
        )}
        {phase === "delivered" && delivered && <p className="ab-quiet">{words.delivered(delivered)}</p>}
        {phase === "dismissed" && <p>{by && settled ? words.dismissedBy(by, settled) : words.dismissed}</p>}
        {phase === "withdrawn" && <p>{words.withdrawn}</p>}
        {phase === "overtaken" && <p>{ask.ran === undefined ? words.overtaken : words.ranOther}</p>}
        {phase === "overtaken" && ask.ran !== undefined && (
          <pre className="ab-code">
            <Seen text={JSON.stringify(ask.ran, null, 2)} />
          </pre>
        )}
        {(phase === "dismissed" || phase === "withdrawn" || phase === "overtaken") && ask.words && (
          <blockquote>
            <Seen text={ask.words} />
          </blockquote>
        )}
        {ask.late && <p>{words.lateBy(whoOf(ask.late.by, me, words), ago(Date.parse(ask.late.at), now, language))}</p>}
      </div>
      {phase === "undoable" && left > 0 && isOurs && (
        <button type="button" className="ab-button ab-undo" data-tone="plain" onClick={onUndo}>
          <span aria-hidden="true">{words.undoIn(left)}</span>
          <span className="ab-aloud">{words.undo}</span>
        </button>
      )}
      {phase === "undoable" && left > 0 && !isOurs && (
        <span className="ab-quiet" aria-hidden="true">
          {words.countsIn(left)}
        </span>
      )}
      {waitsHere && (
        <button type="button" className="ab-button ab-undo" data-tone="plain" onClick={onUndo}>
          {words.undo}
        </button>
      )}
    </footer>
  );
}

/** Returns who gave an answer that can still be undone. */
export function proposal({ by, kind }: AskView["ask"], me: string | undefined, words: CardWords): string {
  if (by === null || "rule" in by) return words.proposed;
  const who = whoOf(by, me, words);
  return kind === "questions" ? words.proposedBy(who) : words.proposedDecisionBy(who);
}
