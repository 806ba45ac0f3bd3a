/**
 * Similar approvals, decided together. Each is shown in full, none is hidden, and only what is ticked is decided: approvals
 * that arrive meanwhile are not ticked.
 */

import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { phaseOf, type AnswerHow, type NewAnswer } from "@askbridge/client";
import type { Language } from "@askbridge/words";
import { AllowButton } from "../approval/AllowButton.tsx";
import { EndsProvider, unreadOf, useEnds, type Ends } from "../approval/ends.tsx";
import { Risks } from "../approval/Risks.tsx";
import { risksOf } from "../approval/risk.ts";
import { editableOf, toolName } from "../approval/tool.ts";
import { usePanel } from "../card/panel.ts";
import { WordsPanel } from "../card/Words.tsx";
import { Became } from "../Inbox/Row.tsx";
import { useNow } from "../now.ts";
import { Seen } from "../text/Seen.tsx";
import { Speaks, useWords } from "../wording.tsx";
import { isGrave, type ApprovalView } from "./alike.ts";

const Input = lazy(() => import("../approval/Input.tsx"));

export interface TogetherProps {
  /** Approvals of one group, in display order. */
  readonly views: readonly ApprovalView[];
  readonly language: Language;
  readonly onAnswer: (id: string, answer: NewAnswer, how?: AnswerHow) => void;
  readonly me?: string;
}

export function Together(props: TogetherProps) {
  return (
    <Speaks.Provider value={props.language}>
      <Group {...props} />
    </Speaks.Provider>
  );
}

/** Open and complete: a person must not decide what they cannot read. */
const isOpen = (view: ApprovalView) => phaseOf(view) === "open" && !view.ask.truncated;

/** Is it longer than fits on a phone? */
const isLong = ({ ask }: ApprovalView) => {
  const { text } = editableOf(ask.approval.input);
  return text.length > 600 || text.split("\n").length > 12;
};

function Group({ views, language, onAnswer, me }: TogetherProps) {
  const words = useWords();
  const first = useRef(new Set(views.map(({ id }) => id)));
  const [ticked, setTicked] = useState<ReadonlySet<string>>(
    () => new Set(views.filter((view) => isOpen(view) && !isGrave(view)).map(({ id }) => id)),
  );
  const [said, setSaid] = useState("");
  const { panel, open, close, root } = usePanel<"deny">();
  const waiting = views.filter(isOpen);
  const chosen = waiting.filter(({ id }) => ticked.has(id));
  const [ends, setEnds] = useState<ReadonlyMap<string, Ends>>(new Map());
  const onEnds = useCallback((id: string, of: Ends) => setEnds((before) => new Map(before).set(id, of)), []);
  // The first grave or long one that has not been read to its end.
  const unread =
    chosen
      .filter((view) => isGrave(view) || isLong(view))
      .map((view) => {
        const of = ends.get(view.id);
        return of ? unreadOf(of, isGrave(view)) : null;
      })
      .find((of) => of !== null && of.state !== "seen") ?? null;
  const [one] = views;
  if (!one) return null;

  const tick = (id: string, is: boolean) =>
    setTicked((before) => {
      const after = new Set(before);
      if (is) after.add(id);
      else after.delete(id);
      return after;
    });
  const decide = (answer: NewAnswer) => {
    const mayBeASlip = (view: (typeof chosen)[number]) => (answer.decision === "allow" ? isGrave(view) : answer.words === undefined);
    for (const view of chosen) onAnswer(view.id, answer, ...(mayBeASlip(view) ? [{ isUndoable: true }] : []));
    close();
  };
  const deny = (stop: boolean) =>
    decide({ decision: "deny", ...(said.trim() ? { words: said.trim() } : {}), ...(stop ? { stop: true } : {}) });
  return (
    <section ref={root} className="ab-card ab-together" lang={language} aria-label={words.togetherTitle(views.length, one.ask.agent, toolName(one.ask.approval.tool))}>
      <header className="ab-together-head">
        <h2 className="ab-head-title">
          <Seen text={words.togetherTitle(views.length, one.ask.agent, toolName(one.ask.approval.tool))} />
        </h2>
        <p className="ab-quiet">{words.togetherHint}</p>
      </header>
      <ol className="ab-together-list">
        {views.map((view) => (
          <One
            key={view.id}
            view={view}
            me={me}
            isTicked={ticked.has(view.id)}
            isNew={!first.current.has(view.id)}
            onTick={(is) => tick(view.id, is)}
            onEnds={onEnds}
          />
        ))}
      </ol>
      {panel === "deny" && (
        <WordsPanel
          title={words.denyTheseTitle(chosen.length)}
          label={words.denyWords}
          hint={words.denyStopHint}
          words={said}
          onWords={setSaid}
          onClose={close}
          actions={[
            { label: words.deny, tone: "stop", act: () => deny(false) },
            { label: words.denyStop, tone: "plain", act: () => deny(true) },
          ]}
        />
      )}
      <div className="ab-bottom">
        <div className="ab-foot">
          <div className="ab-foot-note" role="status">
            {unread?.state === "hidden" && <span>{words.readToTheEnd} </span>}
            <span>{waiting.length > 0 ? words.togetherTicked(chosen.length, waiting.length) : words.togetherOver}</span>
          </div>
          {waiting.length > 0 && panel === null && (
            <div className="ab-foot-main">
              <button type="button" className="ab-button" data-tone="stop-plain" data-opens="deny" disabled={chosen.length === 0} onClick={() => open("deny")}>
                {words.denyThese(chosen.length)}
              </button>
              <AllowButton label={words.allowThese(chosen.length)} ends={unread} disabled={chosen.length === 0} onAllow={() => decide({ decision: "allow" })} />
            </div>
          )}
        </div>
      </div>
    </section>
  );
}

interface OneProps {
  readonly view: ApprovalView;
  readonly me: string | undefined;
  readonly isTicked: boolean;
  readonly isNew: boolean;
  readonly onTick: (is: boolean) => void;
  readonly onEnds: (id: string, ends: Ends) => void;
}

function One({ view, me, isTicked, isNew, onTick, onEnds }: OneProps) {
  const words = useWords();
  const ends = useEnds();
  useEffect(() => onEnds(view.id, ends), [view.id, ends, onEnds]);
  const { approval, context } = view.ask;
  const waits = isOpen(view);
  const now = useNow(!waits);
  const risks = risksOf(approval.tool, approval.input, context?.folder);
  return (
    <li className="ab-together-one" data-phase={phaseOf(view)} data-ticked={waits && isTicked ? "" : undefined}>
      {waits ? (
        <label className="ab-together-tick">
          <input type="checkbox" checked={isTicked} onChange={({ target }) => onTick(target.checked)} />
          <span>
            <Seen text={approval.summary ?? editableOf(approval.input).text.split("\n")[0] ?? toolName(approval.tool)} />
          </span>
          {isNew && <span className="ab-chip">{words.togetherNew}</span>}
        </label>
      ) : view.ask.truncated && phaseOf(view) === "open" ? (
        <p className="ab-quiet">{view.rest === "failed" ? words.restFailed : words.restLoading(Math.ceil(view.ask.truncated.bytes / 1000))}</p>
      ) : (
        <Became view={view} now={now} me={me} />
      )}
      {waits && <Risks risks={risks} />}
      <EndsProvider value={ends.lookout}>
        <Suspense fallback={<pre className="ab-code"><Seen text={editableOf(approval.input).text} /></pre>}>
          <Input tool={approval.tool} input={approval.input} folder={context?.folder} />
        </Suspense>
      </EndsProvider>
      {approval.reason && (
        <p className="ab-reason">
          <strong>{words.reason}:</strong> <Seen text={approval.reason} />
        </p>
      )}
    </li>
  );
}
