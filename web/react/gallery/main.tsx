/** The gallery: every kind of card in every state. `?only=NAME`, `?theme=dark`, `?language=ja`, `?inbox=10000`. */

import "@askbridge/react/theme.css";
import "./gallery.css";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import type { AskView, Sending } from "@askbridge/client";
import type { Language } from "@askbridge/words";
import { AskCard, Inbox, Preparing, Together } from "../src/index.ts";
import { many, samples, togethers } from "./samples.ts";

const alikes = togethers();

const wanted = new URLSearchParams(location.search);
const only = wanted.get("only");
const language: Language = wanted.get("language") === "ja" ? "ja" : "en";
const theme = wanted.get("theme");
if (theme) document.documentElement.dataset["theme"] = theme;
document.documentElement.lang = language;

/** Answers are proposed for a while, as a server would, so that undo can be tried. */
function Living({ name, view: first }: { readonly name: string; readonly view: AskView }) {
  const [view, setView] = useState(first);
  const send = (sending: Sending) => setView((before) => ({ ...before, sending }));
  return (
    <section id={name} className="gallery-place">
      <h2 className="gallery-name">{name}</h2>
      <AskCard
        view={view}
        language={language}
        me="grace"
        onAnswer={(answer) => {
          document.body.dataset["answer"] = JSON.stringify(answer);
          const undo_until = new Date(Date.now() + 5_000).toISOString();
          setView((before) => ({ ...before, ask: { ...before.ask, state: "proposed", undo_until } }));
        }}
        onDismiss={(words) => {
          document.body.dataset["dismissed"] = words ?? "";
          send({ state: "sending", what: "dismiss" });
        }}
        onExtend={(seconds) =>
          setView((before) => ({
            ...before,
            ask: {
              ...before.ask,
              deadline: seconds === null ? null : new Date(Date.parse(before.ask.deadline ?? "") + seconds * 1000).toISOString(),
            },
          }))
        }
        onUndo={() => setView((before) => ({ ...before, ask: first.ask, sending: { state: "idle" } }))}
        onDraft={(draft) => setView((before) => ({ ...before, draft }))}
      />
    </section>
  );
}

function List({ n }: { readonly n: number }) {
  const [views] = useState(() => many(n));
  const [selected, setSelected] = useState<string | null>(null);
  return (
    <div className="gallery-list">
      <Inbox
        views={views}
        language={language}
        selected={selected}
        onSelect={setSelected}
        onSnooze={(id) => {
          document.body.dataset["snoozed"] = id;
        }}
        me="grace"
      />
    </div>
  );
}

function Gallery() {
  const rows = wanted.get("inbox");
  return (
    <main>
      <h1 className="gallery-name">askbridge cards</h1>
      {rows ? (
        <List n={Number(rows)} />
      ) : (
        <>
          {(!only || only === "preparing") && (
            <section id="preparing" className="gallery-place">
              <h2 className="gallery-name">preparing</h2>
              <Preparing language={language} />
            </section>
          )}
          {(!only || only === "preparing-streaming") && (
            <section id="preparing-streaming" className="gallery-place">
              <h2 className="gallery-name">preparing-streaming</h2>
              <Preparing language={language} text="Which database should the new ser" options={["PostgreSQL", "SQL"]} />
            </section>
          )}
          {(!only || only === "together") && (
            <section id="together" className="gallery-place">
              <h2 className="gallery-name">together</h2>
              <Together views={alikes} language={language} onAnswer={() => undefined} me="grace" />
            </section>
          )}
          {samples()
            .filter(({ name }) => !only || name === only)
            .map(({ name, view }) => (
              <Living key={name} name={name} view={view} />
            ))}
        </>
      )}
    </main>
  );
}

const place = document.getElementById("gallery");
if (!place) throw new Error("index.html has an element with the id `gallery`");
createRoot(place).render(
  <StrictMode>
    <Gallery />
  </StrictMode>,
);
