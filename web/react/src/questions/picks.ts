/** What a person has chosen and written so far, and the answer made from it. */

import type { NewAnswer, Question, QuestionsAsk } from "@askbridge/client";

/** The draft of an answer to one question. */
export interface Pick {
  /** Options by their index. */
  readonly chosen: readonly number[];
  readonly text: string;
  readonly note: string;
  readonly skipped: boolean;
}

/** The draft of an answer to questions, as it is sent to the person's other devices. */
export interface QuestionsDraft {
  readonly kind: "questions";
  readonly picks: readonly Pick[];
}

export const EMPTY: Pick = { chosen: [], text: "", note: "", skipped: false };

export const fresh = (ask: QuestionsAsk): QuestionsDraft => ({ kind: "questions", picks: ask.questions.map(() => EMPTY) });

/** Parses a draft from any source. What does not fit the questions is left out. */
export function read(raw: unknown, ask: QuestionsAsk): QuestionsDraft | null {
  if (!isRecord(raw) || raw["kind"] !== "questions" || !Array.isArray(raw["picks"])) return null;
  const given: unknown[] = raw["picks"];
  return { kind: "questions", picks: ask.questions.map((question, at) => readPick(given[at], question)) };
}

function readPick(raw: unknown, question: Question): Pick {
  if (!isRecord(raw)) return EMPTY;
  const listed: unknown[] = Array.isArray(raw["chosen"]) ? raw["chosen"] : [];
  const fits = (index: unknown): index is number => Number.isInteger(index) && question.options[index as number] !== undefined;
  const chosen = [...new Set(listed.filter(fits))].sort((a, b) => a - b);
  return {
    chosen: question.multiSelect ? chosen : chosen.slice(0, 1),
    text: question.secret ? "" : textOf(raw["text"]),
    note: textOf(raw["note"]),
    skipped: raw["skipped"] === true,
  };
}

const textOf = (raw: unknown) => (typeof raw === "string" ? raw : "");
const isRecord = (raw: unknown): raw is Record<string, unknown> => typeof raw === "object" && raw !== null;

/** What may leave this device before it is an answer: everything but secrets. `null`: there is no draft. */
export function write(draft: QuestionsDraft, ask: QuestionsAsk): QuestionsDraft | null {
  const picks = draft.picks.map((pick, at) => (ask.questions[at]?.secret ? { ...pick, text: "" } : pick));
  return picks.every(isUntouched) ? null : { kind: "questions", picks };
}

export const isUntouched = (pick: Pick) => pick.chosen.length === 0 && !pick.text && !pick.note && !pick.skipped;

/** Does it contain anything, even if only "skipped"? */
export const isDone = (pick: Pick) => pick.skipped || says(pick) || pick.note.trim() !== "";

const says = (pick: Pick) => pick.chosen.length > 0 || pick.text.trim() !== "";

/** Chooses an option, or removes the choice. Texts and notes stay: nothing that was typed disappears by itself. */
export function choose(pick: Pick, option: number, question: Question): Pick {
  const isChosen = pick.chosen.includes(option);
  if (!question.multiSelect) return { ...pick, skipped: false, chosen: isChosen ? [] : [option] };
  const chosen = isChosen ? pick.chosen.filter((other) => other !== option) : [...pick.chosen, option].sort((a, b) => a - b);
  return { ...pick, skipped: false, chosen };
}

export const count = (draft: QuestionsDraft) => draft.picks.filter(isDone).length;

/** Returns the first question without an answer, after `from` and then from the beginning. `null`: all have one. */
export function nextOpen(draft: QuestionsDraft, from = -1): number | null {
  const open = draft.picks.flatMap((pick, at) => (isDone(pick) ? [] : [at]));
  return open.find((at) => at > from) ?? open[0] ?? null;
}

/** Is there anything to send? An answer that skips everything is no answer. */
export const saysAnything = (draft: QuestionsDraft) => draft.picks.some((pick) => !pick.skipped && isDone(pick));

/** May one tap be the whole answer? Only for a single choice, with nothing else written. */
export function takesOneTap(ask: QuestionsAsk, draft: QuestionsDraft): boolean {
  const [only] = ask.questions;
  // A late answer is sent at once and cannot be undone, so it needs a deliberate press.
  return (
    ask.state === "open" &&
    ask.questions.length === 1 &&
    only !== undefined &&
    !only.multiSelect &&
    draft.picks.every(isUntouched)
  );
}

/** Encodes the answer for the server: options by index, skipped questions as `null`. */
export function toAnswer(ask: QuestionsAsk, draft: QuestionsDraft): NewAnswer {
  const answers: NonNullable<NewAnswer["answers"]> = {};
  const notes: Record<string, string> = {};
  ask.questions.forEach((question, at) => {
    const pick = draft.picks[at] ?? EMPTY;
    const note = pick.note.trim();
    if (note && !pick.skipped) notes[question.question] = note;
    answers[question.question] = pick.skipped || !says(pick) ? null : said(pick);
  });
  return Object.keys(notes).length > 0 ? { answers, notes } : { answers };
}

function said(pick: Pick): { options?: number[]; text?: string } {
  const text = pick.text.trim();
  return { ...(pick.chosen.length > 0 ? { options: [...pick.chosen] } : {}), ...(text ? { text } : {}) };
}
