// A socket as the browsers have it, and a memory of what came: what every client here needs.
// Nothing is shared with askbridge: this speaks to it as a stranger does.

import assert from "node:assert/strict";
import http from "node:http";
import net from "node:net";

export { assert };
export const SERVER = process.env.SERVER;
export const TOKEN = process.env.TOKEN;
/** Nothing takes this long, not even on a machine that is ten times slower. Beyond: the scene fails and says what it waited for. */
export const PATIENCE_MS = 120_000;

/** Opens a socket and remembers every frame. */
export class Line {
  constructor(path, server = SERVER) {
    this.frames = [];
    this.waiting = [];
    this.closed = null;
    this.socket = new WebSocket(`ws://${server}${path}`);
    this.opened = new Promise((open, fail) => {
      this.socket.onopen = () => open();
      this.socket.onerror = (event) => fail(new Error(`no socket at ${path}: ${event.message ?? event.type}`));
    });
    this.gone = new Promise((gone) => {
      this.socket.onclose = (event) => {
        this.closed = { code: event.code, reason: event.reason };
        gone(this.closed);
        this.look();
      };
    });
    this.socket.onmessage = (event) => {
      this.frames.push(JSON.parse(event.data));
      this.look();
    };
  }

  look() {
    this.waiting = this.waiting.filter((wait) => !wait());
  }

  /** Waits for the next frame that fits, among those not taken yet. Frames before it stay in `frames` to be looked at. */
  async hear(what, fits) {
    await this.opened;
    return new Promise((found, fail) => {
      const timer = setTimeout(
        () => fail(new Error(`waited for ${what}; came: ${JSON.stringify(this.frames, null, 1)}`)),
        PATIENCE_MS,
      );
      const wait = () => {
        const at = this.frames.findIndex((frame, place) => place >= (this.taken ?? 0) && fits(frame));
        if (at >= 0) {
          this.taken = at + 1;
          clearTimeout(timer);
          found(this.frames[at]);
          return true;
        }
        if (this.closed) {
          clearTimeout(timer);
          fail(new Error(`closed ${JSON.stringify(this.closed)} before ${what}; came: ${JSON.stringify(this.frames)}`));
          return true;
        }
        return false;
      };
      if (!wait()) this.waiting.push(wait);
    });
  }

  type(name) {
    return this.hear(name, (frame) => frame.type === name);
  }

  say(frame) {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  async leave() {
    this.socket.close();
    await this.gone;
  }
}

/** A line to the server that can be cut, and then refuses so many who come back. */
export class Wire {
  refuses = 0;
  refused = 0;
  sockets = new Set();

  static async lay() {
    const wire = new Wire();
    const [host, port] = SERVER.split(":");
    const server = net.createServer((near) => {
      if (wire.refuses > 0) {
        wire.refuses -= 1;
        wire.refused += 1;
        return near.destroy();
      }
      const far = net.connect({ host, port });
      for (const socket of [near, far]) {
        wire.sockets.add(socket);
        socket.on("error", () => {}).on("close", () => wire.sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    });
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    wire.address = `127.0.0.1:${server.address().port}`;
    return wire;
  }

  cut(refuses) {
    this.refuses = refuses;
    for (const socket of this.sockets) socket.destroy();
  }
}

/** A request without anything that fetch would add: headers as given, the status as it came. */
export function request(method, path, { headers = {}, body, upgrade = false } = {}) {
  const [host, port] = SERVER.split(":");
  const upgrading = upgrade
    ? {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      }
    : {};
  const written = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  // Node announces no body of a DELETE by itself, and a server takes it for the next request on the connection.
  const length = written === undefined ? {} : { "content-length": Buffer.byteLength(written) };
  return new Promise((done, fail) => {
    const sent = http.request({ host, port, method, path, headers: { ...upgrading, ...length, ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => {
        let json = null;
        try {
          json = JSON.parse(text);
        } catch {}
        done({ status: response.statusCode, headers: response.headers, text, json });
      });
    });
    sent.on("upgrade", (response, socket) => {
      socket.destroy();
      done({ status: response.statusCode, headers: response.headers, text: "", json: null });
    });
    sent.on("error", fail);
    sent.end(written);
  });
}

const bearer = { authorization: `Bearer ${TOKEN}` };

/** askbridge's own API: somebody else, on another device. */
export async function elsewhere(method, path, body) {
  const answer = await request(method, path, { headers: { ...bearer, "content-type": "application/json" }, body });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}

/** The only open ask there is. */
export async function openAsk() {
  return until("an open ask", async () => (await elsewhere("GET", "/v1/asks?state=open")).items[0]);
}

export async function until(what, look, pause = 20) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, `waited for ${what}`);
    await new Promise((go) => setTimeout(go, pause));
  }
}

/** A session's id as other systems write it: the same number in another alphabet. */
export function uuidOf(session) {
  const digits = [...session.replace("ses_", "")].map((digit) => "0123456789abcdefghjkmnpqrstvwxyz".indexOf(digit));
  const number = digits.reduce((sum, digit) => (sum << 5n) | BigInt(digit), 0n);
  return number.toString(16).padStart(32, "0").replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Runs the scene that the command line names. */
export async function play(scenes) {
  const name = process.argv[2];
  const scene = scenes[name];
  assert.ok(scene, `there is no scene ${name}`);
  try {
    await scene();
    process.exit(0);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}
