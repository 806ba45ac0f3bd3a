/** The public face of `@askbridge/client`. */

export type * from "./types.ts";
export type { Client } from "./client.ts";
export { inbox, nothing } from "./state.ts";
export type { Connection, State } from "./state.ts";
export { phaseOf } from "./view.ts";
export type { AskView, Because, Deed, Phase, Sending } from "./view.ts";
