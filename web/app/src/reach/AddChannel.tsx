/** Adds a channel: first its kind, then what its service needs. What was typed stays until it is added. */

import { useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from "react";
import { Trouble, type Channel, type Content, type Decides } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";
import { useReachWords } from "../words.ts";
import { Button } from "../parts/parts.tsx";
import { Fields, newChannel, nothingTyped, type Typed } from "./Fields.tsx";
import { KINDS, KindIcon, kindName, kindSentence, type Kind } from "./kinds.tsx";
import { OnThePhone } from "./OnThePhone.tsx";
import { freeName, quietHours } from "./outcomes.ts";
import { keptPush, nameOfThisBrowser, pushAbility, PushTrouble, ringHere } from "./web_push.ts";
import { CannotRingHere, pushTrouble } from "./ThisBrowser.tsx";

interface AddProps {
  /** The names of other channels. */
  readonly taken: readonly string[];
  readonly onAdded: (channel: Channel) => void;
  readonly onCancel: () => void;
}

export function AddChannel({ taken, onAdded, onCancel }: AddProps) {
  const words = useReachWords();
  const role = useBridge((state) => state.me?.role);
  const [kind, setKind] = useState<Kind | null>(null);
  // Kept here, so that a look at another kind loses nothing.
  const [typed, setTyped] = useState<Typed>(nothingTyped);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), [kind]);
  // Other roles may not run programs.
  const kinds = KINDS.filter((one) => one !== "command" || role === "operator");
  return (
    <section className="app-add" aria-labelledby="add-title" onKeyDown={({ key }) => key === "Escape" && (kind === null ? onCancel() : setKind(null))}>
      <h2 id="add-title" ref={title} tabIndex={-1}>{kind === null ? words.chooseKind : kindName(kind, words)}</h2>
      {kind === null ? (
        <>
          <ul className="app-kinds">
            {kinds.map((one) => (
              <li key={one}>
                <button type="button" className="app-kind" onClick={() => setKind(one)}>
                  <KindIcon kind={one} />
                  <span><strong>{kindName(one, words)}</strong><span className="app-note">{kindSentence(one, words)}</span></span>
                </button>
              </li>
            ))}
          </ul>
          <Button kind="quiet" onClick={onCancel}>{words.cancel}</Button>
        </>
      ) : (
        <Form key={kind} kind={kind} typed={typed} onType={setTyped} taken={taken} onAdded={onAdded} onOther={() => setKind(null)} />
      )}
    </section>
  );
}

function Form({ kind, typed, onType, taken, onAdded, onOther }: { readonly kind: Kind; readonly typed: Typed; readonly onType: (typed: Typed) => void; readonly taken: readonly string[]; readonly onAdded: AddProps["onAdded"]; readonly onOther: () => void }) {
  const words = useReachWords();
  const client = useClient();
  const [name, setName] = useState(() => freeName(kind === "web_push" ? nameOfThisBrowser() : kind, taken));
  const [content, setContent] = useState<Content | "">("");
  const [decides, setDecides] = useState<Decides | "">("");
  const [quiet, setQuiet] = useState({ from: "", to: "" });
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const hours = quietHours(quiet.from, quiet.to);
  const as = { name: name.trim() || kind, ...(content ? { content } : {}), ...(decides ? { decides } : {}), ...(hours ? { quiet: hours } : {}) };
  const ability = kind === "web_push" ? pushAbility() : "able";

  const add = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setTrouble(null);
    try {
      // The question for permission has to come first: browsers allow it only within the tap.
      onAdded(await (kind === "web_push" ? ringHere(client, as) : client.api.addChannel({ ...newChannel(kind, typed), ...as })));
    } catch (error) {
      setBusy(false);
      setTrouble(error instanceof PushTrouble ? pushTrouble(error, words) : error instanceof Trouble ? error.message : String(error));
    }
  };

  if (ability !== "able") return <><CannotRingHere why={ability} /><div className="app-form-end app-form-start"><Button kind="quiet" onClick={onOther}>{words.otherKind}</Button></div></>;
  if (kind === "web_push" && keptPush() !== null)
    return <><p className="app-note">{words.pushHere}</p><div className="app-form-end app-form-start"><Button kind="quiet" onClick={onOther}>{words.otherKind}</Button></div></>;
  return (
    <form className="app-form app-add-form" onSubmit={(event) => void add(event)}>
      <Fields kind={kind} typed={typed} onChange={onType} />
      <Field label={words.name} more={words.nameMore}>
        {(more) => <input className="app-input" required maxLength={64} value={name} aria-describedby={more} onChange={({ target }) => setName(target.value)} />}
      </Field>
      <details className="app-more-fields">
        <summary>{words.more}</summary>
        <div className="app-form">
          <div className="app-form-pair">
            <label className="app-field"><span>{words.content}</span>
              <select className="app-select" value={content} onChange={({ target }) => setContent(target.value as Content | "")}>
                <option value="">{words.asIsSafe}</option>
                <option value="shown">{words.optionShown}</option>
                <option value="hidden">{words.optionHidden}</option>
              </select>
            </label>
            {kind !== "webhook" && kind !== "command" && (
              <label className="app-field"><span>{words.decides}</span>
                <select className="app-select" value={decides} onChange={({ target }) => setDecides(target.value as Decides | "")}>
                  <option value="">{words.asIsSafe}</option>
                  <option value="nothing">{words.optionNothing}</option>
                  <option value="questions">{words.optionQuestions}</option>
                  <option value="approvals">{words.optionApprovals}</option>
                </select>
              </label>
            )}
          </div>
          <div className="app-form-pair">
            <label className="app-field"><span>{words.quietFrom}</span>
              <input className="app-input" type="time" value={quiet.from} required={quiet.to !== ""} onChange={({ target }) => setQuiet({ ...quiet, from: target.value })} />
            </label>
            <label className="app-field"><span>{words.quietTo}</span>
              <input className="app-input" type="time" value={quiet.to} required={quiet.from !== ""} onChange={({ target }) => setQuiet({ ...quiet, to: target.value })} />
            </label>
          </div>
          <p className="app-note">{words.quietMore}</p>
        </div>
      </details>
      <OnThePhone kind={kind} server={typed.server} content={content} decides={decides} />
      {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
      <div className="app-form-end app-form-start">
        <button className="app-button app-button-main" disabled={isBusy}>{isBusy ? words.adding : kind === "web_push" ? words.pushOn : words.addNow}</button>
        <Button kind="quiet" onClick={onOther}>{words.otherKind}</Button>
      </div>
    </form>
  );
}

/** A labelled field with a sentence below it. */
export function Field({ label, more, children }: { readonly label: string; readonly more?: string; readonly children: (more: string | undefined) => ReactNode }) {
  const id = useId();
  return (
    <div className="app-field-with">
      <label className="app-field"><span>{label}</span>{children(more ? id : undefined)}</label>
      {more && <p id={id} className="app-note">{more}</p>}
    </div>
  );
}
