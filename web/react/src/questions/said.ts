/** The answer, question by question, from the ask or from this device. */

import type { AnswerGiven, Answers, NewAnswer, Question, QuestionsAsk } from "@askbridge/client";

export interface Said {
  readonly question: Question;
  readonly values: readonly string[];
  readonly note: string | null;
  readonly isSkipped: boolean;
  /** Neither answered nor skipped. */
  readonly isOpen: boolean;
}

/** From the ask itself once it is answered, or else from what this device has sent. */
export function saidOf(ask: QuestionsAsk, given: NewAnswer | null): Said[] {
  const late = ask.late;
  // The state "answered" arrives a moment before the answers.
  const isSaid = Object.keys(ask.answers).length > 0 || ask.skipped.length > 0;
  const isKnown = late !== undefined || (isSaid && (ask.state === "answered" || ask.state === "proposed" || ask.state === "ruled"));
  const answers = isKnown ? (late ?? ask).answers : {};
  const notes = isKnown ? (late ?? ask).notes : (given?.notes ?? {});
  return ask.questions.map((question) => {
    const key = question.question;
    const values = isKnown ? valuesOf(answers, key) : labelsOf(given?.answers?.[key], question);
    const isSkipped = isKnown ? (late ? values.length === 0 : ask.skipped.includes(key)) : given?.answers?.[key] === null;
    return {
      question,
      values: question.secret && values.length > 0 ? ["••••••"] : values,
      note: notes[key] ?? null,
      isSkipped,
      isOpen: values.length === 0 && !isSkipped,
    };
  });
}

function valuesOf(answers: Answers, key: string): string[] {
  const value = (answers as Record<string, unknown>)[key];
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

function labelsOf(given: AnswerGiven | undefined, question: Question): string[] {
  if (given === null || given === undefined) return [];
  if (typeof given === "string") return [given];
  if (Array.isArray(given)) return given;
  const labels = (given.options ?? []).flatMap((option) => question.options[option]?.label ?? []);
  return given.text ? [...labels, given.text] : labels;
}

/** Returns the options that were not chosen. */
export const notChosen = ({ question, values }: Said): string[] =>
  question.options.map(({ label }) => label).filter((label) => !values.includes(label));
