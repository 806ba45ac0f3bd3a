/**
 * Question cards for assistant-ui, by the name of the tool. That library is before its first release and changes weekly, so
 * nothing of it is imported here: a tool component is a component with a few props, which are typed below.
 *
 *     <MessagePrimitive.Parts components={{ tools: { by_name: askTools({ language: "en" }) } }} />
 */

import type { ReactNode } from "react";
import type { Language } from "@askbridge/words";
import { Ask } from "../hooks.tsx";
import { ToolCard } from "./ToolCard.tsx";

/** The part of assistant-ui's `ToolCallMessagePartProps` that we use. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly args: unknown;
  /** The arguments as they stream in. */
  readonly argsText?: string;
  readonly result?: unknown;
  readonly status: { readonly type: string };
  readonly addResult: (result: AskResult) => void;
}

/** What the tool returns: texts by question, several joined with a comma as Claude Code does; or that nobody answered. */
export type AskResult =
  | {
      readonly answers: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, { readonly notes: string }>>;
      readonly skipped?: readonly string[];
    }
  | { readonly dismissed: true; readonly message: string };

export interface AskToolOptions {
  readonly language?: Language;
  /** Who asks, for people to read. */
  readonly agent?: string;
  /** Returns the ask on an askbridge server for a tool call, if there is one. It needs `<Askbridge>` above. */
  readonly askOf?: (toolCallId: string) => string | undefined;
}

/** The names under which agents ask. */
export const askToolNames = [
  "AskUserQuestion",
  "AskFollowupQuestion",
  "askUserQuestion",
  "askFollowupQuestion",
  "ask_user_question",
] as const;

/** A component for a tool call. */
export type AskTool = (call: ToolCall) => ReactNode;

/** Components by tool name. Create them once, outside of any component: new ones would be new cards. */
export function askTools(options: AskToolOptions = {}): Record<(typeof askToolNames)[number], AskTool> {
  function Tool(call: ToolCall) {
    const ask = options.askOf?.(call.toolCallId);
    return ask === undefined ? (
      <ToolCard call={call} language={options.language ?? "en"} agent={options.agent ?? "agent"} />
    ) : (
      <Ask id={ask} />
    );
  }
  return Object.fromEntries(askToolNames.map((name) => [name, Tool])) as Record<(typeof askToolNames)[number], AskTool>;
}
