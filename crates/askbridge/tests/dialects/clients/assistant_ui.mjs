// The library that Seline's front end is made of, in its own versions: a conversation whose calls it follows, as they stream
// and as they are loaded again. Early versions throw where the arguments of a call are not what they were.

import path from "node:path";
import { pathToFileURL } from "node:url";
import { SERVER, TOKEN, assert, elsewhere, openAsk, play, request, until } from "./kit.mjs";

const modules = path.resolve(process.env.ASSISTANT_UI, "node_modules");
const load = (file) => import(pathToFileURL(path.join(modules, file)));
const { default: React } = await load("react/index.js");
const { default: Renderer } = await load("react-test-renderer/index.js");
const { AssistantRuntimeProvider } = await load("@assistant-ui/react/dist/index.js");
const { useAISDKRuntime } = await load("@assistant-ui/react-ai-sdk/dist/index.js");
const { useChat } = await load("@ai-sdk/react/dist/index.mjs");
const { DefaultChatTransport } = await load("ai/dist/index.mjs");

const cookie = `zlutty-session=${TOKEN}`;

/** A page: the chat, its runtime, and whatever breaks in it. */
class Page {
  id = crypto.randomUUID();
  broken = [];

  constructor() {
    const page = this;
    const headers = { cookie, "x-session-id": this.id };
    const transport = new DefaultChatTransport({ api: `http://${SERVER}/api/chat`, headers });
    function Thread() {
      page.chat = useChat({ id: page.id, transport });
      page.runtime = useAISDKRuntime(page.chat);
      return React.createElement(AssistantRuntimeProvider, { runtime: page.runtime }, null);
    }
    class Boundary extends React.Component {
      state = {};
      static getDerivedStateFromError(error) {
        return { error };
      }
      componentDidCatch(error) {
        page.broken.push(error);
      }
      render() {
        return this.state.error ? null : React.createElement(Thread);
      }
    }
    // What the library logs about arguments that changed counts as broken too. Of a call that it first sees with its result it
    // forgets the arguments, and says that they changed from nothing: that is its own.
    for (const kind of ["error", "warn"]) {
      const say = console[kind];
      console[kind] = (...words) => {
        const isAboutCalls = words.some((word) => String(word).includes("argsText"));
        if (isAboutCalls && !words.some((word) => word?.previous === "")) page.broken.push(new Error(JSON.stringify(words)));
        say(...words);
      };
    }
    Renderer.create(React.createElement(Boundary));
  }

  get parts() {
    return this.runtime.thread.getState().messages.flatMap(({ content }) => content);
  }

  call(name = "AskUserQuestion") {
    return this.parts.find((it) => it.type === "tool-call" && it.toolName === name);
  }

  async see(what, look) {
    return until(what, async () => {
      assert.deepEqual(this.broken, []);
      return this.chat && look();
    });
  }

  /** As the app does after a crash: all that is stored, in the place of what was streamed. */
  async refresh() {
    const { json } = await request("GET", `/api/sessions/${this.id}/messages`, { headers: { cookie } });
    this.chat.setMessages(
      json.messages.map(({ id, role, content }) => {
        const results = new Map(content.filter((it) => it.type === "tool-result").map((it) => [it.toolCallId, it]));
        const parts = content
          .filter((it) => it.type !== "tool-result")
          .map((it) => {
            if (it.type === "text") return it;
            const { toolCallId, toolName, args: input, argsText } = it;
            assert.equal(JSON.stringify(input), argsText);
            const result = results.get(toolCallId);
            const state = result?.state ?? it.state;
            const output = result ? (result.result ?? null) : undefined;
            return { type: `tool-${toolName}`, toolCallId, state, input, output, errorText: result?.errorText };
          });
        return { id, role, parts };
      }),
    );
  }
}

await play({
  async odd_arguments() {
    const page = new Page();
    await page.see("the runtime", () => page.runtime);
    page.chat.sendMessage({ text: "odd" });
    const ran = await page.see("the call", () => page.call("Bash")?.result !== undefined && page.call("Bash"));
    assert.equal(ran.argsText, '{"2":[1e+21],"10":1,"command":"echo hi"}');
    await page.see("the end", () => page.chat.status === "ready");
    await page.refresh();
    await page.see("the same call", () => page.call("Bash").argsText === ran.argsText);
    page.chat.sendMessage({ text: "later" });
    await page.see("another message", () => page.parts.some((it) => it.type === "text" && it.text === "it waited"));
    await page.refresh();
    await page.see("nothing broken", () => page.call("Bash").argsText === ran.argsText);
  },

  async question_and_reload() {
    const page = new Page();
    await page.see("the runtime", () => page.runtime);
    page.chat.sendMessage({ text: "ask" });
    const card = await page.see("the question", () => page.call()?.args?.questions?.[0]?.options?.length === 2 && page.call());
    assert.equal(card.args.questions[0].question, "Which?");
    const streamed = card.argsText;
    // The line breaks while the question is open; what is stored takes the place of what was streamed.
    await page.chat.stop();
    await page.refresh();
    await page.see("the same question", () => page.call()?.argsText === streamed);
    const { id } = await openAsk();
    await elsewhere("POST", `/v1/asks/${id}/answer`, { answers: { "Which?": "A" } });
    await page.see("the rest", async () => {
      await page.refresh();
      return page.parts.some((it) => it.type === "text" && it.text === "done");
    });
    assert.deepEqual([page.call().argsText, page.call().result], [streamed, { answers: { "Which?": "A" } }]);
    // Once more from the beginning: a call that was stored streams on in the same conversation.
    page.chat.sendMessage({ text: "later" });
    await page.see("another message", () => page.parts.some((it) => it.type === "text" && it.text === "it waited"));
    await page.refresh();
    await page.see("nothing broken", () => page.call().argsText === streamed);
  },
});
