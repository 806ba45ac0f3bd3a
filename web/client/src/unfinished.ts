/** What can be read of questions that are still being written: JSON that stops anywhere. */

export interface Unfinished {
  /** The last question that has begun, as far as it goes. */
  readonly question: string;
  /** Its options, as far as they go. */
  readonly options: readonly string[];
}

/** A text in JSON after the name of its field; the end may be missing. */
const FIELD = /"(question|plan|label)"\s*:\s*"((?:[^"\\]|\\.)*)/g;

/** Reads questions, or a plan, from the beginning of a call's input. `null`: nothing of it can be read yet. */
export function unfinished(json: string): Unfinished | null {
  let question: string | null = null;
  let options: string[] = [];
  for (const [, field, raw = ""] of json.matchAll(FIELD)) {
    const text = textOf(raw);
    if (field === "label") options.push(text);
    else {
      question = text;
      options = [];
    }
  }
  return question === null ? null : { question, options };
}

/** Half an escape at the end is left out. */
function textOf(raw: string): string {
  try {
    return JSON.parse(`"${raw.replace(/\\u[0-9a-fA-F]{0,3}$/, "")}"`) as string;
  } catch {
    return raw;
  }
}
