/** A card for a tool call that is answered in the page, without a server. */

import { useEffect, useMemo, useRef, useState } from "react";
import { isOneTap, type AskView, type NewAnswer, type QuestionsAsk, type Sending } from "@askbridge/client";
import type { Language } from "@askbridge/words";
import { AskCard } from "../AskCard/AskCard.tsx";
import { Preparing } from "../AskCard/Preparing.tsx";
import type { AskResult, ToolCall } from "./index.tsx";
import { answersIn, dismissalIn, isWhole, questionsIn, resultOf } from "./questions.ts";

/** How long one tap can be undone. */
const UNDO_MS = 5_000;

export interface ToolCardProps {
  readonly call: ToolCall;
  readonly language: Language;
  readonly agent: string;
}

export function ToolCard({ call, language, agent }: ToolCardProps) {
  const questions = useMemo(() => questionsIn(call.args), [call.args]);
  const [askedAt] = useState(() => new Date().toISOString());
  const [sending, setSending] = useState<Sending>({ state: "idle" });
  const [draft, setDraft] = useState<unknown>(null);
  const held = useRef<{ result: AskResult; timer: ReturnType<typeof setTimeout> } | null>(null);
  const add = useRef(call.addResult);
  add.current = call.addResult;

  const release = () => {
    if (!held.current) return;
    clearTimeout(held.current.timer);
    const { result } = held.current;
    held.current = null;
    add.current(result);
  };
  // A person who leaves the page within the undo time has answered all the same.
  useEffect(() => {
    globalThis.addEventListener?.("pagehide", release);
    return () => {
      globalThis.removeEventListener?.("pagehide", release);
      release();
    };
  }, []);

  const hasResult = call.result !== undefined;
  if (!hasResult && (questions === null || !isWhole(call.argsText)))
    return <Preparing language={language} {...(questions?.[0] ? { text: questions[0].question } : {})} />;
  const ask = askOf(call, questions ?? [], agent, askedAt);
  const view: AskView = { id: call.toolCallId, ask, sending: hasResult ? { state: "idle" } : sending, draft, snoozedUntil: null };
  return (
    <AskCard
      view={view}
      language={language}
      onAnswer={(answer: NewAnswer) => {
        const result = resultOf(ask, answer);
        if (!isOneTap(ask, answer)) {
          setSending({ state: "sending", what: "answer" });
          return add.current(result);
        }
        held.current = {
          result,
          timer: setTimeout(() => {
            setSending({ state: "sending", what: "answer" });
            release();
          }, UNDO_MS),
        };
        setSending({ state: "held", what: "answer", until: Date.now() + UNDO_MS });
      }}
      onDismiss={(words) => {
        setSending({ state: "sending", what: "dismiss" });
        add.current({ dismissed: true, message: words ?? "The person closed the question without answering it." });
      }}
      onUndo={() => {
        clearTimeout(held.current?.timer);
        held.current = null;
        setSending({ state: "idle" });
      }}
      onExtend={() => {}}
      onDraft={setDraft}
    />
  );
}

function askOf(call: ToolCall, questions: QuestionsAsk["questions"], agent: string, askedAt: string): QuestionsAsk {
  const dismissal = call.result === undefined ? null : dismissalIn(call.result);
  const isCancelled = call.result === undefined && call.status.type === "incomplete";
  const state = call.result === undefined ? (isCancelled ? "withdrawn" : "open") : dismissal === null ? "answered" : "dismissed";
  const answers = apart(answersIn(call.result), questions);
  return {
    kind: "questions",
    questions,
    id: call.toolCallId,
    session: call.toolCallId,
    agent,
    door: "assistant-ui",
    state,
    answers,
    answerable: state === "open",
    skipped: state === "answered" ? questions.map(({ question }) => question).filter((text) => answers[text] === undefined) : [],
    notes: {},
    asked_at: askedAt,
    by: null,
    deadline: null,
    parked: false,
    stranded: false,
    verdict: null,
    // The time of the answer is not known here, and none is invented.
    settled_at: null,
    delivered_at: null,
    ...(dismissal ? { words: dismissal } : {}),
  };
}

/** Splits several labels that were joined into one text, if they match exactly. */
function apart(
  answers: Readonly<Record<string, string>>,
  questions: QuestionsAsk["questions"],
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(answers).map(([key, text]) => {
      const question = questions.find((each) => each.question === key);
      const labels = question?.multiSelect
        ? question.options.map(({ label }) => label).filter((label) => text.split(", ").includes(label))
        : [];
      return [key, labels.length > 1 && labels.join(", ") === text ? labels : text];
    }),
  );
}
