/** One field of a form. */

import { useId } from "react";
import type { FormField } from "@askbridge/client";
import { isSend } from "../card/strokes.ts";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import type { Values } from "./values.ts";

export interface FieldRowProps {
  readonly field: FormField;
  readonly at: number;
  readonly value: Values[string] | undefined;
  readonly problem: string | null;
  readonly onValue: (value: Values[string] | undefined) => void;
  readonly onEnter: () => void;
}

/** The number of choices shown at once. Beyond: they are in a drop-down list. */
const IN_VIEW_MAX = 6;

export function FieldRow({ field, at, value, problem, onValue, onEnter }: FieldRowProps) {
  const words = useWords();
  const id = useId();
  const about = [field.description ? `${id}-about` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ");
  const described = { ...(about ? { "aria-describedby": about } : {}), ...(problem ? { "aria-invalid": true } : {}) };
  const isOneField =
    field.type === "text" ||
    field.type === "number" ||
    field.type === "integer" ||
    (field.type === "one_of" && (field.options?.length ?? 0) > IN_VIEW_MAX);
  const name = (
    <>
      <Seen text={field.title ?? field.name} />{" "}
      <span className="ab-quiet">{field.required ? words.required : words.optional}</span>
    </>
  );
  return (
    <div className="ab-form-field" data-field={at}>
      {isOneField ? (
        <label className="ab-field-label" htmlFor={id}>
          {name}
        </label>
      ) : (
        <span className="ab-field-label" id={`${id}-name`}>
          {name}
        </span>
      )}
      {field.description && (
        <p id={`${id}-about`} className="ab-quiet">
          <Seen text={field.description} />
        </p>
      )}
      <Control field={field} id={id} value={value} described={described} onValue={onValue} onEnter={onEnter} />
      {problem && (
        <p id={`${id}-problem`} className="ab-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

type ControlProps = Omit<FieldRowProps, "problem" | "at"> & { readonly id: string; readonly described: object };

function Control({ field, id, value, described, onValue, onEnter }: ControlProps) {
  const words = useWords();
  const options = field.options ?? [];
  switch (field.type) {
    case "flag":
      // Two buttons and no default: an untouched field means neither yes nor no.
      return (
        <Radios
          id={id}
          described={described}
          options={["true", "false"]}
          labels={[words.yes, words.no]}
          value={value === undefined ? undefined : String(value)}
          onValue={(text) => onValue(text === "true")}
        />
      );
    case "one_of":
      if (options.length <= IN_VIEW_MAX)
        return (
          <Radios
            id={id}
            described={described}
            options={options}
            labels={options}
            value={typeof value === "string" ? value : undefined}
            onValue={onValue}
          />
        );
      return (
        <select
          id={id}
          className="ab-input"
          value={typeof value === "string" ? value : ""}
          {...described}
          onChange={(event) => onValue(event.target.value || undefined)}
        >
          <option value="">{words.pleaseChoose}</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      );
    case "many_of": {
      const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
      return (
        <div className="ab-picks" role="group" aria-labelledby={`${id}-name`}>
          {options.map((option) => (
            <label key={option} className="ab-pick">
              <input
                type="checkbox"
                checked={chosen.includes(option)}
                {...described}
                onChange={(event) => {
                  const next = options.filter((other) => (other === option ? event.target.checked : chosen.includes(other)));
                  onValue(next.length > 0 ? next : undefined);
                }}
              />
              <span>
                <Seen text={option} />
              </span>
            </label>
          ))}
        </div>
      );
    }
    case "text":
      return (
        <textarea
          id={id}
          className="ab-input"
          rows={1}
          value={typeof value === "string" ? value : ""}
          {...described}
          onChange={(event) => onValue(event.target.value || undefined)}
          onKeyDown={(event) => {
            if (isSend(event)) {
              event.preventDefault();
              onEnter();
            }
          }}
        />
      );
    default:
      return (
        <input
          id={id}
          className="ab-input"
          inputMode={field.type === "integer" ? "numeric" : "decimal"}
          autoComplete="off"
          value={typeof value === "string" ? value : ""}
          {...described}
          onChange={(event) => onValue(event.target.value || undefined)}
          onKeyDown={(event) => {
            if (isSend(event)) {
              event.preventDefault();
              onEnter();
            }
          }}
        />
      );
  }
}

interface RadiosProps {
  readonly id: string;
  readonly described: object;
  readonly options: readonly string[];
  readonly labels: readonly string[];
  readonly value: string | undefined;
  readonly onValue: (value: string) => void;
}

function Radios({ id, described, options, labels, value, onValue }: RadiosProps) {
  return (
    <div className="ab-picks" role="radiogroup" aria-labelledby={`${id}-name`} {...described}>
      {options.map((option, at) => (
        <label key={option} className="ab-pick">
          <input type="radio" name={id} checked={value === option} onChange={() => onValue(option)} />
          <span>
            <Seen text={labels[at] ?? option} />
          </span>
        </label>
      ))}
    </div>
  );
}
