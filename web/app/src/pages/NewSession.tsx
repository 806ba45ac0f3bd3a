/** Starts a conversation with an agent that askbridge runs. */

import { useState, type FormEvent } from "react";
import { Trouble } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";
import { go, Link } from "../router.tsx";
import { useWords } from "../words.ts";
import { Page } from "../parts/parts.tsx";

const MODELS = ["opus", "sonnet", "haiku"];
const MODES = ["default", "acceptEdits", "plan"] as const;

export function NewSessionPage() {
  const words = useWords();
  const client = useClient();
  const sessions = useBridge((state) => state.sessions.items);
  const folders = [...new Set(sessions.map(({ folder }) => folder).filter((folder) => folder !== null))].slice(0, 20);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);

  const start = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const said = new FormData(event.currentTarget);
    const text = (name: string) => String(said.get(name) ?? "").trim();
    setBusy(true);
    setTrouble(null);
    try {
      const session = await client.api.start({
        agent: "claude",
        folder: text("folder"),
        permission_mode: text("mode"),
        ...(text("model") ? { model: text("model") } : {}),
        ...(text("title") ? { title: text("title") } : {}),
      });
      await client.api.say(session.id, text("message"));
      go(`/sessions/${session.id}`, "replace");
    } catch (error) {
      setTrouble(error instanceof Trouble ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <Page title={words.newSession}>
      <form className="app-form" onSubmit={start}>
        <label className="app-field">
          <span>{words.folder}</span>
          <input className="app-input" name="folder" list="folders" required autoComplete="off" spellCheck={false} defaultValue={folders[0] ?? ""} />
          <small>{words.folderMore}</small>
          <datalist id="folders">{folders.map((folder) => <option key={folder} value={folder} />)}</datalist>
        </label>
        <div className="app-form-pair">
          <label className="app-field">
            <span>{words.agent}</span>
            <select className="app-select" name="agent"><option value="claude">Claude Code</option></select>
          </label>
          <label className="app-field">
            <span>{words.model}</span>
            <input className="app-input" name="model" list="models" autoComplete="off" spellCheck={false} placeholder={words.modelDefault} />
            <datalist id="models">{MODELS.map((model) => <option key={model} value={model} />)}</datalist>
          </label>
          <label className="app-field">
            <span>{words.mode}</span>
            <select className="app-select" name="mode">
              {MODES.map((mode) => <option key={mode} value={mode}>{words.modeName(mode)}</option>)}
            </select>
          </label>
        </div>
        <label className="app-field">
          <span>{words.title}</span>
          <input className="app-input" name="title" autoComplete="off" placeholder={words.titleMore} />
        </label>
        <label className="app-field">
          <span>{words.firstMessage}</span>
          <textarea className="app-input" name="message" rows={5} required />
        </label>
        {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
        <div className="app-form-end">
          <Link className="app-button app-button-quiet" href="/sessions">{words.cancel}</Link>
          <button className="app-button app-button-main" disabled={busy}>{busy ? words.starting : words.start}</button>
        </div>
      </form>
    </Page>
  );
}
