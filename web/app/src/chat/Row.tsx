/** One item of a conversation. */

import { memo } from "react";
import type { Item } from "@askbridge/client";
import { Ask, Markdown, Preparing, useAsk, useBridge, useClient } from "@askbridge/react";
import { Boundary } from "../boundary.tsx";
import { Link } from "../router.tsx";
import { languageOf, useSettings } from "../settings.ts";
import { clock } from "../time.ts";
import { useWords } from "../words.ts";
import { Button } from "../parts/parts.tsx";

export const Row = memo(function Row({ item, session }: { readonly item: Item; readonly session: string }) {
  return <Boundary fallback={() => <Raw value={item} />}><Body item={item} session={session} /></Boundary>;
});

function Body({ item, session }: { readonly item: Item; readonly session: string }) {
  const words = useWords();
  switch (item.kind) {
    case "said": return <Said item={item} session={session} />;
    case "text": return <div className="app-text"><Markdown text={item.text} /></div>;
    case "thinking":
      return <details className="app-fold"><summary>{words.thinking}</summary><div className="app-fold-body app-thinking"><Markdown text={item.text} /></div></details>;
    case "tool": return item.ask ? null : <Tool item={item} />;
    case "ask": return <InlineAsk id={item.ask} />;
    case "turn_ended":
      return <p className="app-line">{words.turnEnded(item.reason)}{item.usage && <> · {words.spent(item.usage.costUsd, item.usage.tokensIn, item.usage.tokensOut)}</>}</p>;
    case "notice": return <p className="app-notice" data-level={item.level}>{item.text}</p>;
    case "interrupted": return <p className="app-line">{words.wasInterrupted(item.by ?? "")}</p>;
    case "configured": return <p className="app-line">{words.wasConfigured([item.title, item.model, item.mode && words.modeName(item.mode)].filter(Boolean).join(" · "))}</p>;
    case "closed": return <p className="app-line">{words.wasClosed(item.why)}</p>;
    case "continued": return <p className="app-line"><Link href={`/sessions/${item.to}`}>{words.goesOn}</Link></p>;
    case "unknown": return <Raw value={item.raw} />;
  }
}

function Said({ item, session }: { readonly item: Extract<Item, { kind: "said" }>; readonly session: string }) {
  const words = useWords();
  const client = useClient();
  const language = languageOf(useSettings());
  const waits = useBridge((state) => state.conversations.get(session)?.session?.queued_messages.some(({ id }) => id === item.message) ?? false);
  return (
    <div className="app-said" data-state={item.state}>
      <div className="app-said-text">{item.text}</div>
      <p className="app-line">
        {item.by ?? "askbridge"} · {clock(item.at, Date.now(), language)}
        {item.state === "withdrawn" ? <> · {words.withdrawnMessage}</> : waits ? (
          <> · <span className="app-chip app-chip-waits">{words.waitsToBeSaid}</span>
            <Button kind="quiet" className="app-small" onClick={() => void client.unsay(session, item.message)}>{words.takeBack}</Button></>
        ) : null}
      </p>
    </div>
  );
}

function Tool({ item }: { readonly item: Extract<Item, { kind: "tool" }> }) {
  const words = useWords();
  const { result, ruled } = item;
  const line = ruled && <p className="app-line">{words.toolRuled(ruled.rule, ruled.ruling, ruled.place)}</p>;
  // Of a call in a terminal that goes to a person, only the ruling is recorded: its card shows the rest.
  if (line && item.input === null && result === null) return line;
  const state = result === null ? words.toolRuns : result.ok ? words.toolDone : words.toolFailed;
  return (
    <>
      <details className="app-fold" data-ok={result === null ? "runs" : result.ok}>
        <summary><span className="app-tool-name">{item.name || words.tool}</span> <span className="app-tool-gist">{gist(item.input)}</span> <span className="app-tool-state">{state}</span></summary>
        <div className="app-fold-body">
          {item.input !== null && <pre tabIndex={0} aria-label={words.toolInput}>{pretty(item.input)}</pre>}
          {result && <pre tabIndex={0} aria-label={words.toolOutput}>{result.output}</pre>}
        </div>
      </details>
      {line}
    </>
  );
}

function InlineAsk({ id }: { readonly id: string }) {
  const isHere = useAsk(id) !== undefined;
  const language = languageOf(useSettings());
  return <div className="app-inline-card">{isHere ? <Ask id={id} /> : <Preparing language={language} />}</div>;
}

function Raw({ value }: { readonly value: unknown }) {
  const words = useWords();
  return <details className="app-fold"><summary>{words.unknownEvent}</summary><div className="app-fold-body"><pre tabIndex={0}>{pretty(value)}</pre></div></details>;
}

const pretty = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));

/** What a call is about, in a few words: the first text in its input. */
function gist(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const said = input as Record<string, unknown>;
  const text = [said.command, said.file_path, said.path, said.pattern, said.url, said.description, ...Object.values(said)].find((value) => typeof value === "string");
  return typeof text === "string" ? text.slice(0, 160) : "";
}
