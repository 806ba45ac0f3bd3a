/** What is half written: kept here at once, told to whoever keeps it, taken over from the person's other devices. */

import { useCallback, useRef, useState } from "react";

export interface Drafting<T> {
  /** What the owner of the card has kept, perhaps from another device. */
  readonly kept: unknown;
  readonly fresh: T;
  /** `null`: it is none of ours. */
  readonly read: (raw: unknown) => T | null;
  /** What may be kept. `null`: there is nothing to keep. */
  readonly write: (draft: T) => unknown;
  readonly onDraft: (draft: unknown) => void;
}

export interface Drafted<T> {
  readonly draft: T;
  readonly change: (how: (draft: T) => T) => void;
  /** Words for closing it without an answer. Every kind of card has them, beside its own draft. */
  readonly parting: string;
  readonly onParting: (words: string) => void;
}

/** Our own words come back, perhaps after newer ones were typed. So many are recognised. */
const ECHOES_MAX = 64;

interface Half<T> {
  readonly draft: T;
  readonly parting: string;
}

export function useDraft<T>({ kept, fresh, read, write, onDraft }: Drafting<T>): Drafted<T> {
  const [half, setHalf] = useState<Half<T>>(() => ({ draft: read(kept) ?? fresh, parting: partingIn(kept) }));
  const [seen, setSeen] = useState(() => textOf(kept));
  const newest = useRef(half);
  const told = useRef<string[]>([]);

  // Another device wrote something: it is what is half written now. An empty draft throws nothing away here; it also
  // comes when an answer was sent, which may yet be taken back.
  const text = textOf(kept);
  if (text !== seen) {
    setSeen(text);
    if (text !== "null" && !told.current.includes(text)) {
      const taken = { draft: read(kept) ?? newest.current.draft, parting: partingIn(kept) };
      newest.current = taken;
      setHalf(taken);
    }
  }

  const put = useCallback(
    (next: Half<T>) => {
      newest.current = next;
      setHalf(next);
      const written = withParting(write(next.draft) ?? null, next.parting);
      told.current = [...told.current, textOf(written)].slice(-ECHOES_MAX);
      onDraft(written);
    },
    [write, onDraft],
  );
  const change = useCallback(
    (how: (draft: T) => T) => {
      const draft = how(newest.current.draft);
      if (draft !== newest.current.draft) put({ ...newest.current, draft });
    },
    [put],
  );
  const onParting = useCallback((parting: string) => put({ ...newest.current, parting }), [put]);
  return { draft: half.draft, change, parting: half.parting, onParting };
}

const textOf = (draft: unknown) => JSON.stringify(draft ?? null);

function partingIn(kept: unknown): string {
  const parting = typeof kept === "object" && kept !== null ? (kept as { parting?: unknown }).parting : undefined;
  return typeof parting === "string" ? parting : "";
}

const withParting = (draft: unknown, parting: string): unknown => (parting === "" ? draft : { ...(draft as object | null), parting });
