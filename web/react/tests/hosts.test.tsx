import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Ask } from "@askbridge/client";
import { database } from "../gallery/asks.ts";
import { given } from "./given.tsx";

const since = new Date();
since.setHours(9, 14, 0, 0);
const time = (language: string) => new Intl.DateTimeFormat(language, { timeStyle: "short" }).format(since);
const down: NonNullable<Ask["host"]> = { id: "node_0000000000000002", name: "desk", state: "down", since: since.toISOString() };
const up: NonNullable<Ask["host"]> = { id: down.id, name: "desk", state: "up" };

test("a card whose node is down says since when, and what becomes of the answer, which can still be given", async () => {
  const { user, calls } = given(database({ host: down }));
  screen.getByText(`desk has been down since ${time("en")}; your answer is kept and delivered when it is back.`);
  await user.click(screen.getByRole("radio", { name: "SQLite" }));
  expect(calls.onAnswer).toHaveBeenCalledOnce();
});

test("in Japanese too", () => {
  given(database({ host: down }), {}, "ja");
  screen.getByText(`desk は ${time("ja")} から停止しています。回答は保存され、復帰後に届きます。`);
});

const gone: NonNullable<Ask["host"]> = { id: down.id, name: "desk", state: "gone" };

test.each([["up", up], ["gone, which the card says in other words", gone], ["the only one", undefined]])("a card whose node is %s says nothing of it", (_, host) => {
  given(database(host ? { host } : {}));
  expect(screen.queryByText(/desk/)).toBeNull();
});

test("an answer that waits for the node says so, instead of that it is on its way, until the agent heard it", () => {
  const answered = { state: "answered", answerable: false, settled_at: new Date().toISOString(), by: { person: "ada", device: "phone", via: "native" } } as const;
  const { now } = given(database({ ...answered, host: down }));
  screen.getByText(/^desk has been down since/);
  expect(screen.queryByText("Stored, and on its way to the agent")).toBeNull();
  now({ ask: database({ ...answered, host: up }) });
  screen.getByText("Stored, and on its way to the agent");
  now({ ask: database({ ...answered, host: down, delivered_at: new Date().toISOString() }) });
  expect(screen.queryByText(/desk/)).toBeNull();
});

test("an agent that sleeps on a node that is down is not said to wake", () => {
  const { now } = given(database({ parked: true, host: down }));
  expect(screen.queryByText("The agent sleeps. Your answer wakes it.")).toBeNull();
  now({ ask: database({ parked: true, host: up }) });
  screen.getByText("The agent sleeps. Your answer wakes it.");
});
