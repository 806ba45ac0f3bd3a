// A real Chromium, driven over its own debugging socket, and a web server for a built page that passes the rest on.

import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { SERVER, assert, until } from "./kit.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".png": "image/png", ".svg": "image/svg+xml" };

/** Serves files of a folder; `/api` and `/ws` go to askbridge, as they came. */
export async function serve(folder) {
  const [host, port] = SERVER.split(":");
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    if (pathname.startsWith("/api")) {
      const { method, headers, url } = request;
      const passed = http.request({ host, port, method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      });
      passed.on("error", () => response.destroy());
      return request.pipe(passed);
    }
    const file = path.join(folder, pathname === "/" ? "index.html" : pathname);
    if (!file.startsWith(folder) || !fs.existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
    fs.createReadStream(file).pipe(response);
  });
  server.on("upgrade", (request, socket, head) => {
    const onward = net.connect(Number(port), host, () => {
      const lines = [`${request.method} ${request.url} HTTP/1.1`];
      for (let at = 0; at < request.rawHeaders.length; at += 2) {
        lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
      }
      onward.write(`${lines.join("\r\n")}\r\n\r\n`);
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) end.on("error", () => (socket.destroy(), onward.destroy()));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return `http://127.0.0.1:${server.address().port}`;
}

/** One tab. What goes wrong in it is remembered. */
export class Tab {
  static async open(url) {
    // In the scratch folder of the test, which goes with it.
    const home = fs.mkdtempSync(path.join(process.env.SCRATCH, "chromium-"));
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1280,900", "--remote-debugging-port=0"];
    const browser = spawn("chromium", [...flags, `--user-data-dir=${home}`, "about:blank"], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, HOME: home },
    });
    process.on("exit", () => browser.kill("SIGKILL"));
    let said = "";
    browser.stderr.on("data", (chunk) => (said += chunk));
    const address = await until("chromium", () => said.match(/DevTools listening on (ws:\S+)/)?.[1]);
    const tab = new Tab();
    tab.url = url;
    tab.problems = [];
    tab.exchange = [];
    tab.waiting = new Map();
    tab.socket = new WebSocket(address);
    tab.socket.onmessage = (event) => tab.heard(JSON.parse(event.data));
    await new Promise((open) => (tab.socket.onopen = open));
    const { targetId } = await tab.call("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await tab.call("Target.attachToTarget", { targetId, flatten: true });
    tab.session = sessionId;
    for (const domain of ["Page", "Runtime", "Network"]) await tab.call(`${domain}.enable`);
    await tab.load();
    return tab;
  }

  heard({ id, result, error, method, params }) {
    if (id) {
      const { done, fail } = this.waiting.get(id);
      return error ? fail(new Error(error.message)) : done(result);
    }
    if (method === "Runtime.exceptionThrown") {
      this.problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    }
    if (method === "Runtime.consoleAPICalled" && params.type === "error") {
      this.problems.push(`console: ${params.args.map((arg) => arg.value ?? arg.description).join(" ")}`);
    }
    this.follow(method, params);
    if (method === "Network.responseReceived" && params.response.status >= 400) {
      this.problems.push(`${params.response.status} ${params.response.url}`);
    }
  }

  /** Remembers what the page sent and was sent, in order, for the report of a scene that fails. */
  follow(method, { requestId, request, response }) {
    const line = {
      "Network.requestWillBeSent": () => `${requestId} ${request.method} ${request.url}`,
      "Network.loadingFinished": () => `${requestId} is complete`,
      "Network.webSocketFrameSent": () => `< ${response.payloadData}`,
      "Network.webSocketFrameReceived": () => `> ${response.payloadData}`,
    }[method];
    if (line) this.exchange.push(line());
  }

  call(method, params = {}) {
    const id = (this.ids = (this.ids ?? 0) + 1);
    const sent = { id, method, params, ...(this.session ? { sessionId: this.session } : {}) };
    this.socket.send(JSON.stringify(sent));
    return new Promise((done, fail) => this.waiting.set(id, { done, fail }));
  }

  async load() {
    await this.call("Page.navigate", { url: this.url });
  }

  async run(code) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", { expression: code, returnByValue: true });
    assert.ok(!exceptionDetails, JSON.stringify(exceptionDetails));
    return result.value;
  }

  text() {
    return this.run("document.body?.innerText ?? ''");
  }

  async sees(words) {
    try {
      await until(words, async () => (await this.text()).includes(words));
    } catch (error) {
      throw new Error(`${error.message}; the page says: ${await this.text()}; problems: ${this.problems.join(" | ")}; the exchange: ${this.exchange.slice(-100).join("\n")}`);
    }
  }

  async gone(words) {
    await until(`“${words}” to be gone`, async () => !(await this.text()).includes(words));
  }

  /** Clicks what is called exactly so. */
  async click(name) {
    const code = `(() => {
      const all = [...document.querySelectorAll("button")].filter((it) => !it.disabled);
      const called = (it) => [it.innerText.split("\\n")[0].trim(), it.title, it.ariaLabel].includes(${JSON.stringify(name)});
      const found = all.filter(called).at(-1);
      found?.click();
      return Boolean(found);
    })()`;
    try {
      await until(`a button called ${name}`, () => this.run(code));
    } catch (error) {
      const names = await this.run(`[...document.querySelectorAll("button")].map((it) => it.innerText || it.title || it.ariaLabel)`);
      throw new Error(`${error.message}; there are ${JSON.stringify(names)}; the page says: ${await this.text()}`);
    }
  }

  async write(selector, words) {
    const find = `document.querySelector(${JSON.stringify(selector)})`;
    await until(selector, () => this.run(`Boolean(${find})`));
    await this.run(`${find}.focus()`);
    await this.call("Input.insertText", { text: words });
  }

  /** Takes a picture for people to look at, where a folder for pictures is named. */
  async picture(name) {
    if (!process.env.PICTURES) return;
    const { data } = await this.call("Page.captureScreenshot", { format: "png" });
    fs.writeFileSync(path.join(process.env.PICTURES, `${name}.png`), Buffer.from(data, "base64"));
  }

  async enter() {
    const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" };
    await this.call("Input.dispatchKeyEvent", { type: "keyDown", ...key });
    await this.call("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  }
}
