/** Binds components to a client. Components themselves take plain data and callbacks. */

import { createContext, useContext, useEffect, useMemo, useRef, useSyncExternalStore, type ReactNode } from "react";
import { inbox, isSnoozed, type AskView, type Client, type State } from "@askbridge/client";
import type { Language } from "@askbridge/words";
import { AskCard, type AskCardProps } from "./AskCard/AskCard.tsx";
import { Preparing } from "./AskCard/Preparing.tsx";
import type { CardRules } from "./card/rules.ts";
import { Ahead } from "./now.ts";
import { PreviewPages } from "./questions/PreviewPage.tsx";
import { useRings } from "./rings.ts";

interface Bound {
  readonly client: Client;
  readonly language: Language;
}

const Context = createContext<Bound | null>(null);

/** Provides a client and a language to everything below it. */
export function Askbridge({ client, language, children }: Bound & { readonly children: ReactNode }) {
  const bound = useMemo(() => ({ client, language }), [client, language]);
  const ahead = useSyncExternalStore((listener) => client.subscribe(listener), () => client.state.ahead, () => 0);
  // React 18 does not accept a context as its own provider.
  return <Context.Provider value={bound}><Ahead.Provider value={ahead}>{children}</Ahead.Provider></Context.Provider>;
}

function useBound(): Bound {
  const bound = useContext(Context);
  if (!bound) throw new Error("no <Askbridge> above this component");
  return bound;
}

export const useClient = (): Client => useBound().client;
export const useLanguage = (): Language => useBound().language;

/** Selects a part of the client's state. `pick` has to return the same object while nothing in it changes. */
export function useBridge<T>(pick: (state: State) => T): T {
  const { client } = useBound();
  return useSyncExternalStore((listener) => client.subscribe(listener), () => pick(client.state), () => pick(client.state));
}

export const useAsk = (id: string): AskView | undefined => useBridge((state) => state.asks.get(id));

/** Has an ask been announced that is not loaded yet? */
export const useIsPreparing = (id: string): boolean => useBridge((state) => state.preparing.has(id));

/** The callbacks of a card, for one ask. */
export function useAskActions(id: string): Pick<AskCardProps, "onAnswer" | "onDismiss" | "onExtend" | "onUndo" | "onDraft" | "onComplete"> {
  const client = useClient();
  return useMemo(
    () => ({
      onAnswer: (answer, how) => client.answer(id, answer, ...(how ? [how] : [])),
      onDismiss: (words) => client.dismiss(id, words),
      onExtend: (seconds) => client.extend(id, seconds),
      onUndo: () => client.undo(id),
      onDraft: (draft) => client.draft(id, draft),
      onComplete: () => client.complete(id),
    }),
    [client, id],
  );
}

/**
 * An ask by its id, bound to the client: the card once it is loaded, a placeholder until then, nothing if there is none.
 * `withRings`: the card also says where the ask rang, which takes a request of its own.
 */
export function Ask({ id, withRings = false }: { readonly id: string; readonly withRings?: boolean }) {
  const view = useAsk(id);
  const isPreparing = useIsPreparing(id);
  const me = useBridge((state) => state.me?.name);
  const language = useLanguage();
  const actions = useAskActions(id);
  const find = usePreviewPages(id);
  const client = useClient();
  const isLive = useBridge((state) => state.connection.state === "live");
  const rules = useCardRules();
  const rings = useRings(client, isLive, id, withRings ? view?.ask : undefined);
  useComplete(view ? [view] : []);
  const isOpen = view?.ask.state === "open" || view?.ask.state === "proposed";
  // A person who looks at a card is not rung for it.
  useEffect(() => (isOpen ? client.onScreen(id) : undefined), [client, id, isOpen]);
  if (!view) return isPreparing ? <Preparing language={language} /> : null;
  return <PreviewPages.Provider value={find}><AskCard view={view} language={language} {...actions} {...(me ? { me } : {})} {...(rings ? { rings } : {})} {...(rules ? { rules } : {})} /></PreviewPages.Provider>;
}

/** The rules that this person may make of decisions. `null`: none, or the server cannot be reached. */
export function useCardRules(): CardRules | null {
  const client = useClient();
  const may = useBridge((state) => state.me?.role === "operator" && state.connection.state === "live");
  return useMemo(
    () => may
      ? {
          preview: (rule) => client.api.remember({ ...rule, dry_run: true }),
          save: (rule) => client.api.remember(rule),
          offer: (ask) => client.api.offeredRule(ask).then(({ offer }) => offer),
        }
      : null,
    [client, may],
  );
}

/** Fetches the rest of asks that a list has shortened: when they are opened, and again after a lost connection. */
export function useComplete(views: readonly AskView[]): void {
  const client = useClient();
  const isLive = useBridge((state) => state.connection.state === "live");
  const shortened = views.filter(({ ask }) => ask.truncated).map(({ id }) => id).join(" ");
  useEffect(() => {
    if (isLive && shortened) for (const id of shortened.split(" ")) client.complete(id);
  }, [client, isLive, shortened]);
}

/** Lets the server serve previews as separate documents. */
function usePreviewPages(id: string): (preview: string) => Promise<string> {
  const client = useClient();
  return useMemo(() => {
    const found = new Map<string, Promise<string>>();
    return (preview) => {
      const ask = client.state.asks.get(id)?.ask;
      const questions = ask?.kind === "questions" ? ask.questions : [];
      const question = questions.findIndex(({ options }) => options.some((option) => option.preview === preview));
      const option = questions[question]?.options.findIndex((one) => one.preview === preview) ?? -1;
      const known = found.get(preview) ?? client.api.preview(id, question, option).then(({ address }) => client.api.base + address);
      found.set(preview, known);
      return known;
    };
  }, [client, id]);
}

/** Open asks, the longest waiting first. */
export function useInbox(now: number): AskView[] {
  const state = useBridge((all) => all);
  return useMemo(() => inbox(state, now), [state, now]);
}

/** How long a row that ended stays in place. */
const LINGER_MS = 30_000;

/** Open asks, and for a while also those that ended while in view, each in its place. */
export function useLingeringInbox(now: number): AskView[] {
  const state = useBridge((all) => all);
  const seen = useRef(new Set<string>());
  return useMemo(() => {
    const open = inbox(state, now);
    for (const { id } of open) seen.current.add(id);
    const ended = [...seen.current].flatMap((id) => {
      const view = state.asks.get(id);
      if (view && view.ask.state === "open") return [];
      const settled = view?.ask.settled_at ? Date.parse(view.ask.settled_at) : now;
      if (view && now - settled < LINGER_MS && !isSnoozed(view, now)) return [view];
      seen.current.delete(id);
      return [];
    });
    return ended.length === 0 ? open : [...open, ...ended].sort((a, b) => (a.ask.asked_at < b.ask.asked_at ? -1 : a.ask.asked_at > b.ask.asked_at ? 1 : a.id < b.id ? -1 : 1));
  }, [state, now]);
}
