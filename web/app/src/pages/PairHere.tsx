/**
 * A pairing link was opened in Safari on an iPhone or iPad. The app on its home screen has separate storage, so a link
 * that is used up here would leave the installed app unpaired: the person chooses first.
 */

import { useState } from "react";
import { base } from "../identity.ts";
import { useWords } from "../words.ts";
import { BridgeMark, Button } from "../parts/parts.tsx";

export function PairHerePage({ secret, onHere }: { readonly secret: string; readonly onHere: () => void }) {
  const words = useWords();
  const [isLater, setLater] = useState(false);
  const [isCopied, setCopied] = useState(false);
  const link = `${base}/#pair=${secret}`;
  const copy = () => navigator.clipboard?.writeText(link).then(() => setCopied(true), () => undefined);
  return (
    <main className="app-door">
      <BridgeMark size={72} />
      <h1>{words.pairWhereTitle}</h1>
      <p>{words.pairWhereMore}</p>
      {!isLater ? (
        <div className="app-form-end app-form-start">
          <Button kind="main" onClick={() => setLater(true)}>{words.pairInstalled}</Button>
          <Button onClick={onHere}>{words.pairSafari}</Button>
        </div>
      ) : (
        <>
          <ol className="app-steps">{words.pairInstalledSteps.split("\n").map((step) => <li key={step}>{step}</li>)}</ol>
          <label className="app-field">
            <span>{words.pairLink}</span>
            <input className="app-input" readOnly value={link} onFocus={({ target }) => target.select()} />
          </label>
          <div className="app-form-end app-form-start">
            <Button kind="main" onClick={() => void copy()}>{words.copyLink}</Button>
            <Button kind="quiet" onClick={onHere}>{words.pairSafari}</Button>
          </div>
          <p className="app-note" role="status">{isCopied ? words.copied : ""}</p>
        </>
      )}
    </main>
  );
}
