import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nothing, type Client, type Cluster, type Node, type State } from "@askbridge/client";
import { Askbridge } from "@askbridge/react";
import { NewSessionPage } from "./NewSession.tsx";

const node = (id: string, name: string, more: Partial<Node> = {}): Node => ({
  id, name, state: "up", version: "0.1.0", agents: 0, agents_max: 4, connections: 1, lag: 0, started_at: "2026-11-15T08:00:00.000Z", ...more,
});
const shared: Cluster = { here: "node_1", alone: false, rank: 0, nodes: [node("node_1", "desk"), node("node_2", "gpu", { roots: ["/srv/models"] })] };

async function given(cluster: Cluster | null) {
  const start = vi.fn(async (_: object) => ({ id: "ses_1" }));
  const state: State = { ...nothing, connection: { state: "live" }, me: { name: "ada", role: "operator" }, cluster };
  const api = { start, say: vi.fn(async () => ({})), folders: async () => ({ folder: null, parent: null, home: "/home/ada", items: [], more: false }) };
  const client = { state, subscribe: () => () => undefined, loadSessions: async () => undefined, api } as unknown as Client;
  await act(async () => void render(<Askbridge client={client} language="en"><NewSessionPage /></Askbridge>));
  return start;
}
const submit = () => act(async () => {
  fireEvent.change(screen.getByLabelText("What should it do?"), { target: { value: "Look around." } });
  fireEvent.click(screen.getByRole("button", { name: "Start" }));
});

beforeEach(() => {
  localStorage.clear();
  Element.prototype.scrollIntoView = () => undefined;
});
afterEach(cleanup);

test("a new conversation names the node that was chosen, and offers the folders of that node", async () => {
  const start = await given(shared);
  fireEvent.change(screen.getByRole("combobox", { name: /^Node/ }), { target: { value: "node_2" } });
  screen.getByText("On gpu, agents may work in these folders and below.");
  expect(screen.queryByRole("button", { name: "Browse" })).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "/srv/models" }));
  await submit();
  expect(start).toHaveBeenCalledExactlyOnceWith({ agent: "claude", folder: "/srv/models", permission_mode: "default", host: "node_2" });
});

test.each([["no node was chosen", shared], ["there is one server", null]])("where %s, none is named", async (_, cluster) => {
  const start = await given(cluster);
  expect(screen.queryByRole("combobox", { name: /^Node/ }) !== null).toBe(cluster !== null);
  fireEvent.change(screen.getByLabelText("Folder"), { target: { value: "/home/ada" } });
  await submit();
  expect(start).toHaveBeenCalledExactlyOnceWith({ agent: "claude", folder: "/home/ada", permission_mode: "default" });
});

test("a node that was chosen earlier and is gone is not named", async () => {
  localStorage.setItem("askbridge.new_session", JSON.stringify({ host: "node_9", folder: "/home/ada" }));
  const start = await given(shared);
  await submit();
  expect(start.mock.calls[0]![0]).not.toHaveProperty("host");
});
