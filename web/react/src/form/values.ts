/** The values typed into a form, and the content made from them. */

import type { FieldValue, Form, FormField } from "@askbridge/client";
import type { CardWords } from "@askbridge/words";

/** As typed: text, `true`/`false`, or a list. An untouched field has no entry. */
export type Values = Readonly<Record<string, string | boolean | readonly string[]>>;

export interface FormDraft {
  readonly kind: "form";
  readonly values: Values;
  readonly words: string;
}

export const FRESH: FormDraft = { kind: "form", values: {}, words: "" };

export function read(raw: unknown, form: Form): FormDraft | null {
  const draft = raw as Partial<FormDraft> | null;
  if (draft?.kind !== "form" || typeof draft.values !== "object" || draft.values === null) return null;
  const values: Record<string, string | boolean | readonly string[]> = {};
  for (const { name } of form.fields) {
    const value: unknown = (draft.values as Record<string, unknown>)[name];
    if (typeof value === "string" || typeof value === "boolean") values[name] = value;
    else if (Array.isArray(value)) values[name] = value.filter((each): each is string => typeof each === "string");
  }
  return { kind: "form", values, words: typeof draft.words === "string" ? draft.words : "" };
}

export const write = (draft: FormDraft) => (Object.keys(draft.values).length === 0 && draft.words === "" ? null : draft);

/** What is wrong with a field, in words, or `null`. */
export function wrong(field: FormField, values: Values, words: CardWords): string | null {
  const value = values[field.name];
  const isEmpty = value === undefined || (typeof value === "string" && value.trim() === "");
  if (isEmpty)
    return field.required
      ? field.type === "text" || field.type === "number" || field.type === "integer"
        ? words.fillIn
        : words.pleaseChoose
      : null;
  if (field.type === "integer" && !/^\s*-?(0|[1-9]\d*)\s*$/.test(String(value))) return words.wholeNumber;
  if (field.type === "number" && !/^\s*-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?\s*$/i.test(String(value))) return words.aNumber;
  return null;
}

/** Numbers are sent as typed: the server parses them, so that no digit is lost. */
export function content(form: Form, values: Values): Record<string, FieldValue> {
  const filled: Record<string, FieldValue> = {};
  for (const field of form.fields) {
    const value = values[field.name];
    if (value === undefined || (typeof value === "string" && value.trim() === "")) continue;
    filled[field.name] =
      typeof value === "string" || typeof value === "boolean"
        ? field.type === "number" || field.type === "integer"
          ? String(value).trim()
          : value
        : [...value];
  }
  return filled;
}
