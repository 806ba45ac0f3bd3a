// Pairs this browser with the link's secret, then shows what waits. One question with one choice is answered with one
// tap; everything else says how to answer it. All text is set as text, never as HTML.

const state = document.querySelector("#state");
const list = document.querySelector("#asks");
const asks = new Map();
let cursor = null;

const say = (text) => { state.textContent = text; };

async function pair() {
  const secret = new URLSearchParams(location.hash.slice(1)).get("pair");
  if (!secret) return;
  // The secret works once; it has no business in the history.
  history.replaceState(null, "", location.pathname);
  const response = await fetch("/v1/pair", { method: "POST", body: JSON.stringify({ secret, device: "browser" }) });
  const body = await response.json();
  if (response.ok) localStorage.setItem("askbridge.token", body.token);
  else say(body.detail);
}

function make(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

function card(ask, socket) {
  const item = document.createElement("li");
  const one = ask.kind === "questions" && ask.questions.length === 1 ? ask.questions[0] : null;
  item.append(make("h2", one ? one.question : (ask.questions?.[0]?.question ?? ask.approval?.summary ?? ask.kind)));
  item.append(make("small", `${ask.agent} asks`));
  if (one && one.options.length && !one.multiSelect) {
    for (const option of one.options) {
      const button = make("button", option.label);
      if (option.description) button.append(document.createElement("br"), make("small", option.description));
      button.onclick = () => {
        item.querySelectorAll("button").forEach((other) => { other.disabled = true; });
        socket.send(JSON.stringify({ type: "answer", tag: 1, ask: ask.id, answers: { [one.question]: option.label } }));
      };
      item.append(button);
    }
  } else {
    item.append(make("p", `Answer it in a terminal: askbridge answer ${ask.id.slice(4, 12)}`));
  }
  return item;
}

function show(socket) {
  list.replaceChildren(...[...asks.values()].map((ask) => card(ask, socket)));
  say(asks.size ? `${asks.size} waiting for you` : "Nothing waits for an answer.");
  document.title = asks.size ? `(${asks.size}) askbridge` : "askbridge";
}

function connect(token) {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/v1/ws`);
  const look = async (id) => {
    const response = await fetch(`/v1/asks/${id}`, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) return;
    const ask = await response.json();
    if (ask.state === "open") asks.set(id, ask);
    else asks.delete(id);
    show(socket);
  };
  socket.onopen = () => socket.send(JSON.stringify({ type: "hello", token, cursor }));
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(data);
    if (frame.cursor) cursor = frame.cursor;
    if (frame.type === "snapshot") {
      asks.clear();
      frame.asks.forEach((ask) => asks.set(ask.id, ask));
      show(socket);
    }
    const about = frame.event?.ask?.id ?? frame.event?.ask;
    if (frame.type === "event" && about) look(about);
    if (frame.type === "reply" && !frame.ok) { say(frame.error.detail); asks.forEach((_, id) => look(id)); }
    if (frame.type === "ping") socket.send(JSON.stringify({ type: "pong" }));
  };
  socket.onclose = ({ code }) => {
    if (code === 4401) {
      localStorage.removeItem("askbridge.token");
      list.replaceChildren();
      return say("This browser is not paired. Run askbridge pair in a terminal and open its link here.");
    }
    say("Disconnected; trying again…");
    setTimeout(() => connect(token), 1500);
  };
}

await pair();
const token = localStorage.getItem("askbridge.token");
if (token) connect(token);
else if (state.textContent === "Looking…") say("This browser is not paired. Run askbridge pair in a terminal and open its link here.");
