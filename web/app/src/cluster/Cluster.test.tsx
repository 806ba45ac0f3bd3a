import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nothing, Trouble, type Client, type Cluster, type Node, type State } from "@askbridge/client";
import { Askbridge } from "@askbridge/react";
import { ClusterPage } from "./Cluster.tsx";
import { HostField } from "./HostField.tsx";

const node = (id: string, name: string, more: Partial<Node> = {}): Node => ({
  id, name, state: "up", version: "0.1.0", agents: 0, agents_max: 4, connections: 1, lag: 0, started_at: "2026-11-15T08:00:00.000Z", ...more,
});
const up = [node("node_1", "desk"), node("node_2", "gpu", { labels: ["cuda"] })];
const down = [up[0]!, node("node_2", "gpu", { state: "down", since: "2026-11-15T09:14:00.000Z" })];
const shared = (nodes: readonly Node[], more: Partial<Cluster> = {}): Cluster => ({ here: "node_1", alone: false, rank: 0, nodes: [...nodes], ...more });

/** A client that only knows of nodes: each reading takes the next answer, and the last one stays. */
function given(answers: (Cluster | Trouble)[], role = "operator") {
  const listeners = new Set<() => void>();
  let state: State = { ...nothing, connection: { state: "live" }, me: { name: "ada", role } };
  const loadCluster = vi.fn(async () => {
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (answer instanceof Trouble) throw answer;
    state = { ...state, cluster: answer };
    for (const listener of listeners) listener();
    return answer;
  });
  const forgetNode = vi.fn(async (id: string) => ({ node: id, sessions: 2, asks: 1 }));
  const client = {
    get state() { return state; },
    subscribe: (listener: () => void) => (listeners.add(listener), () => listeners.delete(listener)),
    loadCluster,
    api: { forgetNode },
  } as unknown as Client;
  return { loadCluster, forgetNode, page: render(<Askbridge client={client} language="en"><ClusterPage /></Askbridge>) };
}
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const sum = () => screen.getAllByRole("status")[0]!.textContent;
const item = (name: string) => within(screen.getByRole("region", { name }));

beforeEach(() => {
  vi.useFakeTimers();
  Object.defineProperty(document, "visibilityState", { configurable: true, value: "visible" });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test("the nodes are a list, and one that went down says what that means and what to do", async () => {
  given([shared(up), shared(down)]);
  await pass(0);
  expect(sum()).toBe("2 nodes share this inbox. All are up.");
  expect(within(screen.getByRole("list", { name: "Nodes" })).getAllByRole("heading", { level: 2 }).map((it) => it.textContent)).toEqual(["desk", "gpu"]);
  item("desk").getByText("this page is connected here");
  expect(item("gpu").queryByText("this page is connected here")).toBeNull();
  item("gpu").getByText("cuda");
  await pass(3_000);
  expect(sum()).toBe("2 nodes share this inbox. 1 is down.");
  item("gpu").getByText(/^down since/);
  item("gpu").getByText("Questions of the agents on gpu are still here, and you can answer them. The agents get the answers when it is back.");
  expect(item("gpu").getByText("askbridge cluster status").tagName).toBe("CODE");
});

test("a node that will not come back is declared gone after a second press, and the page says what went with it", async () => {
  const { forgetNode } = given([shared(down), shared([up[0]!])]);
  await pass(0);
  expect(item("desk").queryByRole("button")).toBeNull();
  fireEvent.click(item("gpu").getByRole("button", { name: "It will not come back: gpu" }));
  item("gpu").getByText(/^This declares gpu gone, for good\. Its agents do not come back\./);
  expect(document.activeElement?.textContent).toBe("Cancel");
  fireEvent.click(item("gpu").getByRole("button", { name: "Cancel" }));
  expect(forgetNode).not.toHaveBeenCalled();
  fireEvent.click(item("gpu").getByRole("button", { name: "It will not come back: gpu" }));
  fireEvent.click(item("gpu").getByRole("button", { name: "Declare it gone" }));
  await pass(0);
  expect(forgetNode).toHaveBeenCalledExactlyOnceWith("node_2");
  expect(screen.queryByRole("region", { name: "gpu" })).toBeNull();
  screen.getByText("gpu was declared gone, with 2 conversations and 1 open question.");
});

test("a node that the server does not give up says why, and can be tried again", async () => {
  const { forgetNode } = given([shared(down)]);
  forgetNode.mockRejectedValueOnce(new Trouble({ code: "forbidden", detail: "node node_2 is up", parts: [], winner: null, retry: false }));
  await pass(0);
  fireEvent.click(item("gpu").getByRole("button", { name: "It will not come back: gpu" }));
  fireEvent.click(item("gpu").getByRole("button", { name: "Declare it gone" }));
  await pass(0);
  expect(item("gpu").getByRole("alert").textContent).toBe("node node_2 is up");
  item("gpu").getByRole("button", { name: "It will not come back: gpu" });
});

test("a node that holds back says why, and a clock that is off stands out", async () => {
  given([shared([node("node_1", "desk", { clock_ahead_ms: 9_000 }), up[1]!], { holds_back: "the clock of this machine is off" })]);
  await pass(0);
  expect(screen.getByRole("alert").textContent).toBe("desk settles no deadline and rings nobody: the clock of this machine is off. The other nodes do.");
  item("desk").getByText("9 s ahead");
  item("desk").getByText("Its clock is off, so it settles no deadline and rings nobody. Set the clock.");
});

test("a reading that fails is said, what was read stays, and the next one mends it", async () => {
  const unreachable = new Trouble({ code: "down", detail: "the journal cannot be reached", parts: [], winner: null, retry: true });
  given([shared(up), unreachable, shared(up)]);
  await pass(0);
  await pass(3_000);
  expect(screen.getByRole("alert").textContent).toContain("the journal cannot be reached");
  item("desk").getByText("up");
  await pass(3_000);
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a page that nobody sees reads nothing, and reads at once when it is seen again", async () => {
  const { loadCluster } = given([shared(up)]);
  await pass(0);
  Object.defineProperty(document, "visibilityState", { configurable: true, value: "hidden" });
  await pass(60_000);
  expect(loadCluster).toHaveBeenCalledTimes(1);
  Object.defineProperty(document, "visibilityState", { configurable: true, value: "visible" });
  fireEvent(document, new Event("visibilitychange"));
  fireEvent(document, new Event("visibilitychange"));
  await pass(0);
  expect(loadCluster).toHaveBeenCalledTimes(2);
  await pass(3_000);
  expect(loadCluster).toHaveBeenCalledTimes(3);
});

test("a server with a journal of its own is asked once", async () => {
  const { loadCluster } = given([{ ...shared([]), alone: true }]);
  await pass(60_000);
  expect(loadCluster).toHaveBeenCalledTimes(1);
  screen.getByText(/^This server does not share its journal\./);
});

test("a person who may not see the nodes asks for nothing", async () => {
  const { loadCluster } = given([shared(up)], "person");
  await pass(60_000);
  expect(loadCluster).not.toHaveBeenCalled();
  screen.getByText("Only operators see the nodes.");
});

test("a new conversation can be given a node that is up, and is else given one that has the folder", () => {
  const chosen = vi.fn();
  const page = render(<HostField nodes={[node("node_3", "lab", { state: "down" }), ...up]} host="gone" onHost={chosen} />);
  const field = screen.getByRole<HTMLSelectElement>("combobox", { name: /^Node/ });
  expect([...field.options].map(({ text, disabled }) => `${text}${disabled ? " -" : ""}`)).toEqual(["One that has the folder", "desk", "gpu · cuda", "lab (down) -"]);
  expect(field.value).toBe("");
  fireEvent.change(field, { target: { value: "node_2" } });
  expect(chosen).toHaveBeenCalledExactlyOnceWith("node_2");
  page.unmount();
});
