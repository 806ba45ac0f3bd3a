/** Reads questions from a tool's arguments, in the many forms in which models write them. */

import type { Choice, NewAnswer, Question, QuestionsAsk } from "@askbridge/client";
import type { AskResult } from "./index.tsx";

/** How deep JSON in a string in a string is parsed. */
const NESTED_MAX = 3;

/** Returns the questions that can be read. `null`: none. */
export function questionsIn(args: unknown): Question[] | null {
  const raw = unwrapped(args);
  if (!isRecord(raw)) return null;
  const listed = unwrapped(raw["questions"]);
  const several: unknown[] = Array.isArray(listed) ? listed : [raw];
  const questions = several.flatMap((each) => questionOf(each) ?? []);
  return questions.length > 0 ? apart(questions) : null;
}

function questionOf(raw: unknown): Question | null {
  if (typeof raw === "string") return { question: raw, multiSelect: false, options: [] };
  if (!isRecord(raw)) return null;
  const question = textOf(raw["question"]) ?? textOf(raw["prompt"]) ?? textOf(raw["text"]);
  if (!question?.trim()) return null;
  const options = unwrapped(raw["options"] ?? raw["suggestions"] ?? raw["choices"]);
  const header = textOf(raw["header"]);
  return {
    question,
    multiSelect: raw["multiSelect"] === true || raw["multi_select"] === true,
    options: Array.isArray(options) ? options.flatMap((each: unknown) => choiceOf(each) ?? []) : [],
    ...(header?.trim() ? { header } : {}),
  };
}

function choiceOf(raw: unknown): Choice | null {
  if (typeof raw === "string") return raw.trim() ? { label: raw } : null;
  if (!isRecord(raw)) return null;
  const label = textOf(raw["label"]) ?? textOf(raw["answer"]) ?? textOf(raw["value"]);
  if (!label?.trim()) return null;
  const [description, preview] = [textOf(raw["description"]), textOf(raw["preview"]) ?? textOf(raw["markdown"])];
  return { label, ...(description ? { description } : {}), ...(preview ? { preview } : {}) };
}

/** Numbers questions with the same text, as the server does. */
function apart(questions: readonly Question[]): Question[] {
  const seen = new Map<string, number>();
  return questions.map((each) => {
    const times = (seen.get(each.question) ?? 0) + 1;
    seen.set(each.question, times);
    return times === 1 ? each : { ...each, question: `${each.question} (${times})` };
  });
}

function unwrapped(raw: unknown): unknown {
  let value = raw;
  for (let depth = 0; depth < NESTED_MAX && typeof value === "string"; depth += 1) {
    try {
      value = JSON.parse(value) as unknown;
    } catch {
      return value;
    }
  }
  return value;
}

/** Have all arguments arrived? While they stream, their text is incomplete JSON. */
export function isWhole(argsText: string | undefined): boolean {
  if (argsText === undefined) return true;
  try {
    JSON.parse(argsText);
    return true;
  } catch {
    return false;
  }
}

/** What the tool returns for an answer of a card. */
export function resultOf(ask: QuestionsAsk, answer: NewAnswer): AskResult {
  const answers: Record<string, string> = {};
  const skipped: string[] = [];
  for (const { question, options } of ask.questions) {
    const given = answer.answers?.[question];
    const said =
      given === null || given === undefined
        ? []
        : typeof given === "string"
          ? [given]
          : Array.isArray(given)
            ? given
            : [...(given.options ?? []).flatMap((option) => options[option]?.label ?? []), ...(given.text ? [given.text] : [])];
    if (said.length > 0) answers[question] = said.join(", ");
    else skipped.push(question);
  }
  const annotations = Object.fromEntries(Object.entries(answer.notes ?? {}).map(([question, notes]) => [question, { notes }]));
  return { answers, ...(Object.keys(annotations).length > 0 ? { annotations } : {}), ...(skipped.length > 0 ? { skipped } : {}) };
}

/** The answers in a result, ours or Claude Code's. */
export function answersIn(result: unknown): Record<string, string> {
  const raw = unwrapped(result);
  const answers = isRecord(raw) ? raw["answers"] : undefined;
  return isRecord(answers)
    ? Object.fromEntries(Object.entries(answers).filter((entry): entry is [string, string] => typeof entry[1] === "string"))
    : {};
}

/** The words of a result that says that nobody answered. */
export function dismissalIn(result: unknown): string | null {
  const raw = unwrapped(result);
  return isRecord(raw) && raw["dismissed"] === true ? (textOf(raw["message"]) ?? "") : null;
}

const isRecord = (raw: unknown): raw is Record<string, unknown> => typeof raw === "object" && raw !== null && !Array.isArray(raw);
const textOf = (raw: unknown): string | null => (typeof raw === "string" ? raw : null);
