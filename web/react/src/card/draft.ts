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

/** Our own words come back, perhaps after newer ones were typed. So many are recognised. */
const ECHOES_MAX = 64;

export function useDraft<T>({ kept, fresh, read, write, onDraft }: Drafting<T>): [T, (change: (draft: T) => T) => void] {
  const [draft, setDraft] = useState<T>(() => read(kept) ?? fresh);
  const [seen, setSeen] = useState(() => textOf(kept));
  const newest = useRef(draft);
  const told = useRef<string[]>([]);

  // Another device wrote something: it is what is half written now. An empty draft throws nothing away here; it also
  // comes when an answer was sent, which may yet be taken back.
  const text = textOf(kept);
  if (text !== seen) {
    setSeen(text);
    const taken = text === "null" || told.current.includes(text) ? null : read(kept);
    if (taken) {
      newest.current = taken;
      setDraft(taken);
    }
  }

  const change = useCallback(
    (how: (draft: T) => T) => {
      const next = how(newest.current);
      if (next === newest.current) return;
      newest.current = next;
      setDraft(next);
      const written = write(next) ?? null;
      told.current = [...told.current, textOf(written)].slice(-ECHOES_MAX);
      onDraft(written);
    },
    [write, onDraft],
  );
  return [draft, change];
}

const textOf = (draft: unknown) => JSON.stringify(draft ?? null);
