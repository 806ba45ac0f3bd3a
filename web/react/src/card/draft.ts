/** The draft of a card: kept here at once, passed to the card's owner, and updated from the person's other devices. */

import { useCallback, useRef, useState } from "react";

export interface Drafting<T> {
  /** What the owner of the card has stored, perhaps from another device. */
  readonly kept: unknown;
  readonly fresh: T;
  /** `null`: it is not a draft of this kind. */
  readonly read: (raw: unknown) => T | null;
  /** What may be stored. `null`: there is nothing to store. */
  readonly write: (draft: T) => unknown;
  readonly onDraft: (draft: unknown) => void;
}

export interface Drafted<T> {
  readonly draft: T;
  readonly change: (how: (draft: T) => T) => void;
  /** Words for a dismissal. Every kind of card has them, beside its own draft. */
  readonly parting: string;
  readonly onParting: (words: string) => void;
}

/** Our own drafts come back, perhaps after newer ones were typed. This many are recognised. */
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

  // Another device wrote a draft: it is shown here now. An empty draft deletes nothing here; it also
  // comes when an answer was sent, which may yet be undone.
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
