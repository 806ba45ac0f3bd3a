/** What binds components to a client. Components themselves take plain data and callbacks. */

import { createContext, useContext, useMemo, useSyncExternalStore, type ReactNode } from "react";
import { inbox, type AskView, type Client, type State } from "@askbridge/client";
import type { Language } from "@askbridge/words";

interface Bound {
  readonly client: Client;
  readonly language: Language;
}

const Context = createContext<Bound | null>(null);

/** Gives everything below it a client and a language. */
export function Askbridge({ client, language, children }: Bound & { readonly children: ReactNode }) {
  const bound = useMemo(() => ({ client, language }), [client, language]);
  return <Context value={bound}>{children}</Context>;
}

function useBound(): Bound {
  const bound = useContext(Context);
  if (!bound) throw new Error("no <Askbridge> above this component");
  return bound;
}

export const useClient = (): Client => useBound().client;
export const useLanguage = (): Language => useBound().language;

/** A part of what the client knows. `pick` has to return the same object while nothing in it changed. */
export function useBridge<T>(pick: (state: State) => T): T {
  const { client } = useBound();
  return useSyncExternalStore((listener) => client.subscribe(listener), () => pick(client.state));
}

export const useAsk = (id: string): AskView | undefined => useBridge((state) => state.asks.get(id));

/** Open asks, the longest waiting first. */
export function useInbox(now: number): AskView[] {
  const state = useBridge((all) => all);
  return useMemo(() => inbox(state, now), [state, now]);
}
