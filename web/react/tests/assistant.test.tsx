import {
  AssistantRuntimeProvider,
  MessagePrimitive,
  ThreadPrimitive,
  useLocalRuntime,
  type ChatModelAdapter,
  type ChatModelRunResult,
} from "@assistant-ui/react";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { askToolNames, askTools } from "../src/assistant-ui/index.tsx";
import { isWhole, questionsIn, resultOf } from "../src/assistant-ui/questions.ts";
import { several } from "../gallery/asks.ts";

afterEach(() => {
  vi.useRealTimers();
  cleanup();
});
beforeAll(() => {
  // jsdom measures and scrolls nothing.
  globalThis.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  } as unknown as typeof ResizeObserver;
  Element.prototype.scrollTo ??= () => {};
});

const args = {
  questions: [
    {
      question: "Which database?",
      header: "Database",
      multiSelect: false,
      options: [{ label: "Postgres", description: "big" }, { label: "SQLite" }],
    },
  ],
};
const tools = askTools({ agent: "claude" });

/** A page with assistant-ui's own runtime, and a model that asks once and then repeats what it was told. */
function Page({ heard, toolName = "AskUserQuestion" }: { heard: unknown[]; toolName?: string }) {
  const model: ChatModelAdapter = {
    async run({ unstable_getMessage }): Promise<ChatModelRunResult> {
      const call = unstable_getMessage().content.find((part) => part.type === "tool-call");
      if (call?.result !== undefined) {
        heard.push(call.result);
        return { content: [{ type: "text", text: `I heard: ${JSON.stringify(call.result)}` }] };
      }
      return {
        content: [{ type: "tool-call", toolCallId: "toolu_1", toolName, args, argsText: JSON.stringify(args) }],
        status: { type: "requires-action", reason: "tool-calls" },
      };
    },
  };
  const runtime = useLocalRuntime(model);
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <button type="button" onClick={() => runtime.thread.append("Build it")}>
        ask
      </button>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages
          components={{ Message: () => <MessagePrimitive.Parts components={{ tools: { by_name: tools } }} /> }}
        />
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

test.each(["AskUserQuestion", "AskFollowupQuestion"])(
  "in assistant-ui, %s is a card, and its answer goes back to the model",
  async (toolName) => {
    const heard: unknown[] = [];
    const user = userEvent.setup();
    render(<Page heard={heard} toolName={toolName} />);
    await user.click(screen.getByRole("button", { name: "ask" }));
    await user.click(await screen.findByRole("button", { name: "Add a note" }));
    await user.keyboard("for now");
    await user.click(screen.getByRole("radio", { name: "SQLite" }));
    await user.click(screen.getByRole("button", { name: "Answer" }));
    await waitFor(() =>
      expect(heard).toEqual([
        { answers: { "Which database?": "SQLite" }, annotations: { "Which database?": { notes: "for now" } } },
      ]),
    );
    expect(await screen.findByText(/I heard: /)).toBeTruthy();
    expect(screen.queryByRole("radio")).toBeNull();
  },
);

const call = (change: object) => ({
  toolCallId: "toolu_1",
  args,
  argsText: JSON.stringify(args),
  status: { type: "requires-action" },
  addResult: vi.fn(),
  ...change,
});
const Tool = tools.AskUserQuestion;

test("one tap waits five seconds for an undo, and is answered then", () => {
  vi.useFakeTimers();
  const props = call({});
  render(<Tool {...props} />);
  act(() => screen.getByRole("radio", { name: "SQLite" }).click());
  act(() => screen.getByRole("button", { name: "Undo" }).click());
  act(() => void vi.advanceTimersByTime(60_000));
  expect(props.addResult).not.toHaveBeenCalled();
  act(() => screen.getByRole("radio", { name: "Postgres" }).click());
  act(() => void vi.advanceTimersByTime(5_000));
  expect(props.addResult).toHaveBeenCalledExactlyOnceWith({ answers: { "Which database?": "Postgres" } });
});

test("whoever leaves within the undo time has answered", () => {
  vi.useFakeTimers();
  const props = call({});
  const { unmount } = render(<Tool {...props} />);
  act(() => screen.getByRole("radio", { name: "SQLite" }).click());
  unmount();
  expect(props.addResult).toHaveBeenCalledExactlyOnceWith({ answers: { "Which database?": "SQLite" } });
});

test("arguments that still stream in are a question in preparation", () => {
  render(
    <Tool
      {...call({
        args: { questions: [{ question: "Which data" }] },
        argsText: '{"questions":[{"question":"Which data',
        status: { type: "running" },
      })}
    />,
  );
  expect(screen.getByRole("status").textContent).toBe("A question is being written…");
  expect(screen.queryByRole("textbox")).toBeNull();
});

test("a dismissal is told as one, never as an empty answer", async () => {
  const props = call({});
  render(<Tool {...props} />);
  await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
  await userEvent.click(screen.getAllByRole("button", { name: "Dismiss" })[0]!);
  expect(props.addResult).toHaveBeenCalledExactlyOnceWith({
    dismissed: true,
    message: "The person closed the question without answering it.",
  });
});

test("after a reload the answer is read from the result", () => {
  render(<Tool {...call({ result: { answers: { "Which database?": "SQLite" } }, status: { type: "complete" } })} />);
  expect(screen.getByText("SQLite")).toBeTruthy();
  expect(screen.queryByRole("radio")).toBeNull();
});

test("questions are found in arguments of every shape", () => {
  const shapes = [
    args,
    JSON.stringify(args),
    { questions: JSON.stringify(args.questions) },
    JSON.stringify(JSON.stringify(args)),
  ];
  for (const shape of shapes) expect(questionsIn(shape)).toEqual(args.questions);
  expect(questionsIn({ question: "Go?", options: ["Yes", { label: "No" }, { label: "" }, 7, null] })).toEqual([
    { question: "Go?", multiSelect: false, options: [{ label: "Yes" }, { label: "No" }] },
  ]);
  expect(questionsIn({ questions: [{ question: "Go?" }, { question: "Go?" }] })?.map(({ question }) => question)).toEqual([
    "Go?",
    "Go? (2)",
  ]);
  for (const nothing of [null, 7, "", "text", [], {}, { questions: [] }, { questions: [{}] }])
    expect(questionsIn(nothing)).toBeNull();
  expect([isWhole('{"a"'), isWhole("{}"), isWhole(undefined)]).toEqual([false, true, true]);
});

test("several choices are joined, and what was skipped is named", () => {
  expect(
    resultOf(several(), {
      answers: {
        "Which parts should the first release contain?": { options: [0, 2], text: "docs" },
        "Who may change the stock?": null,
      },
    }),
  ).toEqual({
    answers: { "Which parts should the first release contain?": "Import, Labels, docs" },
    skipped: ["Who may change the stock?", "What shall the service be called?"],
  });
});

test("agents' names for the tool are known", () => {
  expect(Object.keys(tools)).toEqual([...askToolNames]);
});
