/** The interface of the client: what a front end can do with askbridge. */

import type { Api } from "./api.ts";
import type { Cluster, NewAnswer } from "./types.ts";
import type { State } from "./state.ts";
import type { Because } from "./view.ts";

/** How an answer is sent. */
export interface AnswerHow {
  /** It can be undone during the undo time, like a choice made with one tap. */
  readonly isUndoable: boolean;
}

/** A live connection to one server, and all state known from it. */
export interface Client {
  /** All known state. A new object after each change, so that it can be compared by identity. */
  readonly state: State;
  /** Calls back after each change. Returns a function that stops it. */
  subscribe(listener: () => void): () => void;

  /**
   * Answers an ask. It is sent at once; without a connection it is stored, and sent once there is one. The server lets
   * a single choice made with one tap be undone for a moment before it counts, and any answer with `how.isUndoable`.
   */
  answer(ask: string, answer: NewAnswer, how?: AnswerHow): void;
  dismiss(ask: string, words?: string): void;
  /** Moves the deadline to this many seconds from now. `null`: no deadline. */
  extend(ask: string, seconds: number | null): void;
  /** How long an answer given with one tap can be undone from now on, in milliseconds. */
  undoFor(undoMs: number): void;
  /** Undoes the last answer: before it was sent, or within the undo time. */
  undo(ask: string): void;
  /** Stores a draft, here and for the person's other devices. `null` deletes it. */
  draft(ask: string, draft: unknown): void;
  /** Hides an ask from the inbox until then (milliseconds since 1970, by the server's clock). `null`: show it again. */
  snooze(ask: string, until: number | null): void;
  /**
   * Says that a card is on the screen, so that the person is not rung for it while they look. Returns a function that
   * says that it is not any longer.
   */
  onScreen(ask: string): () => void;
  /** Fetches asks that are not loaded, such as those of an old conversation. */
  look(asks: readonly string[]): void;
  /** Fetches the rest of an ask that a list has shortened (`ask.truncated`). `view.rest` says how far that is. */
  complete(ask: string): void;

  /** Loads the list of sessions, or its next page. */
  loadSessions(more?: "next"): Promise<void>;
  /** Reads how the nodes are that share the journal. Asks and conversations say from then on what is known of theirs. */
  loadCluster(): Promise<Cluster>;
  /** Follows a conversation. Returns a function that stops it. */
  watch(session: string): () => void;
  /** Loads the entries before the first loaded one. */
  older(session: string): Promise<void>;
  /** Sends a message to an agent. Resolves to `null` once it is on the server's disk, or to the reason why it is not. */
  say(session: string, text: string, about?: string): Promise<Because | null>;
  /** Withdraws a message that the agent has not received. */
  unsay(session: string, message: string): Promise<Because | null>;
  interrupt(session: string): Promise<Because | null>;

  /** All other endpoints. */
  readonly api: Api;
  /** Connects now, instead of after the pause. */
  retry(): void;
  /** Drops all state and fetches it from the server again. */
  resync(): void;
  close(): void;
}
