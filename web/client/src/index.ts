/** The exports of `@askbridge/client`. */

export type * from "./types.ts";
export { Api, pair } from "./api.ts";
export type { Wanted } from "./api.ts";
export type { AnswerHow, Client } from "./client.ts";
export { connect } from "./connect.ts";
export type { Options } from "./connect.ts";
export { isOneTap } from "./one_tap.ts";
export { reduce } from "./reduce.ts";
export type { Heard, Reduced } from "./reduce.ts";
export { inbox, isSnoozed, isWaiting, nothing, serverTime, waitingForPerson } from "./state.ts";
export type { Connection, Conversation, Live, Sessions, State } from "./state.ts";
export type { Store, Surroundings } from "./surroundings.ts";
export { append, blank, prepend } from "./transcript.ts";
export type { Item, Result, Ruled, Transcript, Usage } from "./transcript.ts";
export { Trouble } from "./trouble.ts";
export { unfinished } from "./unfinished.ts";
export type { Unfinished } from "./unfinished.ts";
export { phaseOf, undoUntil } from "./view.ts";
export type { AskView, Because, Deed, Phase, Sending } from "./view.ts";
