// One question on every screen at once: prime, ccc, gobby and our own API, each on its port. Whoever answers, all are told.

import { Line, TOKEN, assert, elsewhere, openAsk, play } from "./kit.mjs";

const [ccc, gobby] = process.env.PORTS.split(",");

await play({
  async all_at_once() {
    const prime = new Line(`/api/v1/chat/ws/new?token=${TOKEN}`);
    await prime.type("session_status");
    prime.say({ type: "user_message", data: { message: "ask" } });
    const { session_id } = await prime.type("session_id");
    const front = new Line(`/ws/chat/${session_id}?token=${TOKEN}`, ccc);
    await front.type("connected");
    const page = new Line(`/ws?token=${TOKEN}`, gobby);
    await page.type("connection_established");
    page.say({ type: "heartbeat", conversation_id: session_id });

    let turns = 0;
    for (const mouth of ["prime", "ccc", "gobby", "native"]) {
      if (turns > 0) prime.say({ type: "user_message", data: { message: `ask ${turns}` } });
      const [asked, card] = [await prime.type("ask_user_question"), await front.type("user_question")];
      const call = await page.hear("the card", (frame) => frame.type === "tool_status" && frame.status === "calling");
      assert.equal(call.tool_call_id, card.tool_use_id);
      if (mouth === "prime") {
        prime.say({ type: "ask_user_response", data: { question_id: asked.question_id, answers: { "Which?": "B" } } });
      } else if (mouth === "ccc") {
        front.say({ type: "question_answer", tool_use_id: card.tool_use_id, answers: { 0: "1" } });
      } else if (mouth === "gobby") {
        const { conversation_id, tool_call_id } = call;
        page.say({ type: "ask_user_response", conversation_id, tool_call_id, answers: { "Which?": "B" } });
      } else {
        await elsewhere("POST", `/v1/asks/${(await openAsk()).id}/answer`, { answers: { "Which?": "B" } });
      }
      const closes = (frame) => frame.type === "ask_user_timeout" && frame.question_id === asked.question_id;
      if (mouth !== "prime") assert.equal((await prime.hear("the end", closes)).error, "Answered elsewhere by ada");
      await front.hear("the result", (frame) => frame.type === "tool_result" && frame.tool_use_id === card.tool_use_id);
      const marked = (frame) => frame.type === "tool_status" && frame.status === "completed";
      const done = await page.hear("the badge", (frame) => marked(frame) && frame.tool_call_id === call.tool_call_id);
      assert.deepEqual(done.result.content.answers, { "Which?": "B" });
      await prime.type("complete");
      await front.type("result");
      turns += 1;
    }
    const { items } = await elsewhere("GET", "/v1/asks?state=answered");
    assert.deepEqual(items.map((ask) => ask.by.via).reverse(), ["prime", "ccc", "gobby", "http"]);
  },
});
