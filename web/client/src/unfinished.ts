/** Reads questions that are still being streamed, from incomplete JSON. */

export interface Unfinished {
  /** The last question that has begun, or a plan, as far as it has arrived. Empty: nothing yet. */
  readonly question: string;
  /** Its options, as far as they have arrived. */
  readonly options: readonly string[];
}

/** Reads questions, or a plan, from the beginning of a call's input. `null`: nothing can be read yet. */
export function unfinished(json: string): Unfinished | null {
  const input = record(whole(json));
  const [last] = list(input.questions).slice(-1);
  const asked = record(last ?? input);
  const question = text(asked.question) ?? text(input.plan) ?? "";
  const options = list(asked.options).flatMap((option) => text(record(option).label) ?? text(option) ?? []);
  return question === "" && options.length === 0 ? null : { question, options };
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Completes the JSON. Where that is impossible, such as after a partial name, the text before it is used. */
function whole(json: string): unknown {
  const places: { readonly end: number; readonly closing: string }[] = [{ end: 0, closing: "null" }];
  let closing = "";
  let isText = false;
  let escaped = 0;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (isText) {
      // An escape is two characters long, or six.
      if (escaped > 0) escaped -= 1;
      else if (sign === "\\") escaped = json[at + 1] === "u" ? 5 : 1;
      else if (sign === '"') isText = false;
      if (isText && escaped === 0) continue;
    } else if (sign === '"') isText = true;
    else if (sign === "{" || sign === "[") {
      closing = (sign === "{" ? "}" : "]") + closing;
      places.push({ end: at + 1, closing });
    } else if (sign === "}" || sign === "]") {
      closing = closing.slice(1);
      places.push({ end: at + 1, closing });
    } else if (sign === ",") places.push({ end: at, closing });
  }
  const cut = escaped > 0 ? json.slice(0, json.lastIndexOf("\\")) : json;
  places.push({ end: cut.length, closing: (isText ? '"' : "") + closing });
  for (const place of places.reverse()) {
    try {
      return JSON.parse(cut.slice(0, place.end) + place.closing) as unknown;
    } catch {
      // A partial name, or a name without a value.
    }
  }
  return null;
}
