/** Starts a conversation with a hosted agent. */

import { useEffect, useRef, useState, type FormEvent } from "react";
import { Trouble } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";
import { areSeveral } from "../cluster/facts.ts";
import { HostField } from "../cluster/HostField.tsx";
import { go, Link } from "../router.tsx";
import { useWords } from "../words.ts";
import { FolderField } from "../parts/FolderField.tsx";
import { Page } from "../parts/parts.tsx";
import { blank, keepHalf, readHalf, settingsOf, type HalfWritten } from "./half_written.ts";

const MODELS = ["opus", "sonnet", "haiku"];
const MODES = ["default", "acceptEdits", "plan"] as const;

export function NewSessionPage() {
  const words = useWords();
  const client = useClient();
  const [half, setHalf] = useState(readHalf);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const cluster = useBridge((state) => state.cluster);
  const several = areSeveral(cluster) ? cluster : null;
  // A node that was chosen earlier may be gone by now.
  const chosen = several?.nodes.find(({ id }) => id === half.host);
  const elsewhere = chosen && chosen.id !== several?.here ? chosen : null;
  const said = useRef<HTMLParagraphElement>(null);
  const change = (part: Partial<HalfWritten>) =>
    setHalf((before) => {
      const after = { ...before, ...part };
      keepHalf(after);
      return after;
    });
  // Scrolls the error into view: not below the edge, nor behind the navigation.
  // In braces: newer browsers return a promise, which React would take for a clean-up.
  useEffect(() => {
    said.current?.scrollIntoView({ block: "center" });
  }, [trouble]);

  const start = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    setTrouble(null);
    let isStarted = false;
    try {
      const session = await started();
      isStarted = true;
      await client.api.say(session, half.message.trim());
      keepHalf(null);
      go(`/sessions/${session}`, "replace");
    } catch (error) {
      const why = error instanceof Trouble ? error.message : String(error);
      setTrouble(isStarted ? words.startedWithout(why) : why);
      setBusy(false);
    }
  };
  /** Returns the session that the last attempt has started, or a new one. */
  const started = async (): Promise<string> => {
    const as = settingsOf({ ...half, host: chosen?.id ?? "" });
    if (half.started?.as === as) return half.started.session;
    // Started with other settings, and still without a message.
    if (half.started) await client.api.end(half.started.session).catch(() => undefined);
    const { id } = await client.api.start({
      agent: "claude",
      folder: half.folder.trim(),
      permission_mode: half.mode,
      ...(half.model.trim() ? { model: half.model.trim() } : {}),
      ...(half.title.trim() ? { title: half.title.trim() } : {}),
      ...(chosen ? { host: chosen.id } : {}),
    });
    change({ started: { session: id, as } });
    return id;
  };
  return (
    <Page title={words.newSession}>
      <form className="app-form" onSubmit={start}>
        <label className="app-field">
          <span>{words.firstMessage}</span>
          <textarea className="app-input" rows={5} required value={half.message} onChange={({ target }) => change({ message: target.value })} />
        </label>
        {several && <HostField nodes={several.nodes} host={half.host} onHost={(host) => change({ host })} />}
        <FolderField folder={half.folder} onFolder={(folder) => change({ folder })} {...(elsewhere ? { elsewhere } : {})} />
        <details className="app-more-fields" open={half.model !== "" || half.title !== "" || half.mode !== blank.mode}>
          <summary>{words.moreSettings}</summary>
          <div className="app-form-pair">
            <label className="app-field">
              <span>{words.model}</span>
              <input className="app-input" list="models" autoComplete="off" spellCheck={false} placeholder={words.modelDefault} value={half.model} onChange={({ target }) => change({ model: target.value })} />
              <datalist id="models">{MODELS.map((model) => <option key={model} value={model} />)}</datalist>
            </label>
            <label className="app-field">
              <span>{words.mode}</span>
              <select className="app-select" value={half.mode} onChange={({ target }) => change({ mode: target.value })}>
                {MODES.map((mode) => <option key={mode} value={mode}>{words.modeName(mode)}</option>)}
              </select>
            </label>
            <label className="app-field">
              <span>{words.title}</span>
              <input className="app-input" autoComplete="off" placeholder={words.titleMore} value={half.title} onChange={({ target }) => change({ title: target.value })} />
            </label>
          </div>
        </details>
        {trouble && <p ref={said} className="app-trouble" role="alert">{trouble}</p>}
        <div className="app-form-end">
          <Link className="app-button app-button-quiet" href="/sessions">{words.cancel}</Link>
          <button className="app-button app-button-main" disabled={busy}>{busy ? words.starting : words.start}</button>
        </div>
      </form>
    </Page>
  );
}
