/** A card on a page, and what it called. */

import { render, type RenderResult } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import { vi } from "vitest";
import type { Ask, AskView } from "@askbridge/client";
import type { Language } from "@askbridge/words";
import { viewOf } from "../gallery/asks.ts";
import { AskCard } from "../src/index.ts";

export interface Given extends RenderResult {
  readonly user: UserEvent;
  readonly calls: { readonly [K in "onAnswer" | "onDismiss" | "onExtend" | "onUndo" | "onDraft" | "onComplete"]: ReturnType<typeof vi.fn> };
  /** The ask changed, or what this device is doing about it. */
  readonly now: (change: Partial<AskView>) => void;
}

export function given(ask: Ask, change: Partial<AskView> = {}, language: Language = "en"): Given {
  const calls = { onAnswer: vi.fn(), onDismiss: vi.fn(), onExtend: vi.fn(), onUndo: vi.fn(), onDraft: vi.fn(), onComplete: vi.fn() };
  let view: AskView = { ...viewOf(ask), ...change };
  const card = () => <AskCard view={view} language={language} me="grace" {...calls} />;
  const rendered = render(card());
  return {
    ...rendered,
    user: userEvent.setup(),
    calls,
    now: (next) => {
      view = { ...view, ...next };
      rendered.rerender(card());
    },
  };
}
