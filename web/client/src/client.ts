/** What a front end may do with askbridge. */

import type { Api } from "./api.ts";
import type { NewAnswer } from "./types.ts";
import type { State } from "./state.ts";
import type { Because } from "./view.ts";

/** How an answer is sent. */
export interface AnswerHow {
  /** It can be taken back for the undo time, as a choice made with one tap. */
  readonly isUndoable: boolean;
}

/** A living connection to one server, and everything known from it. */
export interface Client {
  /** Everything known. A new object after each change, so that it can be compared by identity. */
  readonly state: State;
  /** Calls back after each change; returns how to stop that. */
  subscribe(listener: () => void): () => void;

  /**
   * Answers an ask. It is sent at once; without a connection it is kept, and sent once there is one. The server lets a single
   * choice made with one tap be undone for a moment before it counts, and so it does with what `how` says.
   */
  answer(ask: string, answer: NewAnswer, how?: AnswerHow): void;
  dismiss(ask: string, words?: string): void;
  /** Waits so much longer from now. `null`: for ever. */
  extend(ask: string, seconds: number | null): void;
  /** How long an answer given with one tap can be undone from now on, in milliseconds. */
  undoFor(undoMs: number): void;
  /** Takes back the last answer: before it was sent, or within the undo time. */
  undo(ask: string): void;
  /** Keeps what is half written, here and for the person's other devices. `null` throws it away. */
  draft(ask: string, draft: unknown): void;
  /** Hides an ask from the inbox until then (milliseconds since 1970, by the server's clock). `null`: show it again. */
  snooze(ask: string, until: number | null): void;
  /** Fetches asks that are not here, such as those of an old conversation. */
  look(asks: readonly string[]): void;
  /** Fetches the rest of an ask that a list has shortened (`ask.truncated`). `view.rest` says how far that has come. */
  complete(ask: string): void;

  /** Loads the list of sessions, or its next page. */
  loadSessions(more?: "next"): Promise<void>;
  /** Follows a conversation; returns how to stop. */
  watch(session: string): () => void;
  /** Loads what happened before the first thing that is here. */
  older(session: string): Promise<void>;
  /** Says something to an agent. Resolves to `null` once it is on the server's disk, or to why it is not. */
  say(session: string, text: string, about?: string): Promise<Because | null>;
  /** Takes back a message that the agent has not heard. */
  unsay(session: string, message: string): Promise<Because | null>;
  interrupt(session: string): Promise<Because | null>;

  /** Everything else, address by address. */
  readonly api: Api;
  /** Tries to connect now, instead of when the pause is over. */
  retry(): void;
  /** Forgets everything known and asks the server anew. */
  resync(): void;
  close(): void;
}
