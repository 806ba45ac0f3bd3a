/** What a front end may do with askbridge. */

import type { NewAnswer } from "./types.ts";
import type { State } from "./state.ts";

/** A living connection to one server, and everything known from it. */
export interface Client {
  /** Everything known. A new object after each change, so that it can be compared by identity. */
  readonly state: State;
  /** Calls back after each change; returns how to stop that. */
  subscribe(listener: () => void): () => void;

  /** Answers an ask. Without a connection it is kept, and sent once there is one. */
  answer(ask: string, answer: NewAnswer): void;
  dismiss(ask: string, words?: string): void;
  /** Waits so much longer from now. `null`: for ever. */
  extend(ask: string, seconds: number | null): void;
  undo(ask: string): void;
  /** Keeps what is half written, here and for the person's other devices. `null` throws it away. */
  draft(ask: string, draft: unknown): void;
  /** Hides an ask from the inbox until then (milliseconds since 1970). `null`: show it again. */
  snooze(ask: string, until: number | null): void;

  close(): void;
}
