/** Shown while this browser is not paired. */

import { useState, type FormEvent } from "react";
import { Trouble } from "@askbridge/client";
import { become, secretIn } from "../identity.ts";
import { isInstalled, isIos } from "../install.ts";
import { useWords } from "../words.ts";
import { BridgeMark } from "../parts/parts.tsx";

export function PairPage({ why, onPaired }: { readonly why: string | null; readonly onPaired: () => void }) {
  const words = useWords();
  const [trouble, setTrouble] = useState(why);
  const [busy, setBusy] = useState(false);
  const pair = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const pasted = String(new FormData(event.currentTarget).get("link") ?? "");
    setBusy(true);
    try {
      await become(secretIn(pasted));
      onPaired();
    } catch (error) {
      setTrouble(error instanceof Trouble ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <main className="app-door">
      <BridgeMark size={72} />
      <h1>{words.pairTitle}</h1>
      <p>{words.pairMore}</p>
      <pre><code>askbridge pair</code></pre>
      <p className="app-note">{words.pairElsewhere}</p>
      {isIos() && <p className="app-note">{isInstalled() ? words.pairIosInstalled : words.pairIosFirst}</p>}
      <form onSubmit={pair}>
        <label className="app-field">
          <span>{words.pasteLink}</span>
          <input className="app-input" name="link" required autoComplete="off" spellCheck={false} placeholder="http://…/#pair=pair_…" />
        </label>
        {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
        <button className="app-button app-button-main" disabled={busy}>{words.pairNow}</button>
      </form>
    </main>
  );
}
