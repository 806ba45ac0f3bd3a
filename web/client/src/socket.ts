/**
 * The connection: says hello with the last cursor, answers heartbeats, detects silence, and reconnects with exponential
 * backoff. Knows nothing of asks.
 */

import { textOf } from "./frame.ts";
import type { Surroundings } from "./surroundings.ts";
import type { ClientFrame, ServerFrame } from "./types.ts";
import type { Connection } from "./state.ts";

export interface SocketEvents {
  readonly frame: (frame: ServerFrame) => void;
  readonly connection: (connection: Connection) => void;
  /** The connection is lost; it is unknown whether frames in flight on it have arrived. */
  readonly lost: () => void;
}

/** The first pause; each further one is twice as long. */
const PAUSE_MIN_MS = 400;
const PAUSE_MAX_MS = 30_000;
/** A connection that lasts this long resets the backoff. */
const STEADY_MS = 5_000;
/** After more than two heartbeats of silence the connection counts as dead, whatever the system says. */
const SILENCE_BEATS = 2.4;
/** How long a server may take to respond after the browser reports that the network is gone. */
const DOUBT_MS = 4_000;
const NOT_SIGNED_IN = 4401;

export class Socket {
  private readonly address: string;
  private readonly token: string;
  private readonly around: Surroundings;
  private readonly events: SocketEvents;
  private socket: WebSocket | null = null;
  private cursor: string | null = null;
  private attempts = 0;
  private silence_ms = 60_000;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private steady: ReturnType<typeof setTimeout> | undefined;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private welcomed = false;
  private closed = false;

  constructor(base: string, token: string, around: Surroundings, events: SocketEvents) {
    this.address = `${base.replace(/^http/, "ws")}/v1/ws`;
    this.token = token;
    this.around = around;
    this.events = events;
    around.window?.addEventListener("online", this.hurry);
    around.window?.addEventListener("offline", this.offline);
    around.document?.addEventListener("visibilitychange", this.visible);
    this.open();
  }

  /** Sends a frame if there is a connection and the frame is not too large. One that is would end the connection. */
  send(frame: ClientFrame): "sent" | "not_connected" | "too_large" {
    const text = textOf(frame);
    if (text === null) return "too_large";
    if (!this.welcomed || this.socket?.readyState !== 1) return "not_connected";
    this.socket.send(text);
    return "sent";
  }

  /** Drops the cursor: the next hello gets a snapshot. */
  startAfresh() {
    this.cursor = null;
    this.drop();
    this.hurry();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.around.window?.removeEventListener("online", this.hurry);
    this.around.window?.removeEventListener("offline", this.offline);
    this.around.document?.removeEventListener("visibilitychange", this.visible);
    this.drop();
  }

  private open() {
    clearTimeout(this.timer);
    this.events.connection({ state: "connecting" });
    const socket = new this.around.WebSocket(this.address);
    this.socket = socket;
    this.listen();
    socket.onopen = () => {
      const hello = { type: "hello", token: this.token } as const;
      socket.send(JSON.stringify(this.cursor === null ? hello : { ...hello, cursor: this.cursor }));
    };
    socket.onmessage = ({ data }) => this.hear(String(data));
    socket.onclose = ({ code }) => {
      if (this.socket !== socket) return;
      this.drop();
      if (code === NOT_SIGNED_IN) {
        this.closed = true;
        return this.events.connection({ state: "signed_out" });
      }
      this.later();
    };
  }

  private hear(data: string) {
    this.listen();
    let frame: ServerFrame;
    try {
      frame = JSON.parse(data) as ServerFrame;
    } catch {
      // Not a valid frame. What we missed comes again with the cursor.
      return this.reopen();
    }
    if (typeof frame !== "object" || frame === null) return;
    if (frame.type === "ping") {
      this.socket?.send('{"type":"pong"}');
      return this.events.frame(frame);
    }
    if (frame.type === "welcome") {
      this.welcomed = true;
      this.steady = setTimeout(() => void (this.attempts = 0), STEADY_MS);
      this.silence_ms = frame.heartbeat_seconds * 1000 * SILENCE_BEATS;
      this.events.frame(frame);
      return this.events.connection({ state: "live" });
    }
    this.events.frame(frame);
    // Set only once the frame was processed: after reconnecting nothing may be missing.
    if ((frame.type === "event" || frame.type === "snapshot") && frame.cursor) this.cursor = frame.cursor;
  }

  private listen() {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.reopen(), this.silence_ms);
  }

  private reopen() {
    this.drop();
    this.later();
  }

  private drop() {
    clearTimeout(this.watchdog);
    clearTimeout(this.steady);
    const socket = this.socket;
    this.socket = null;
    const was = this.welcomed;
    this.welcomed = false;
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
    if (was) this.events.lost();
  }

  private later() {
    if (this.closed) return;
    const pause = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** this.attempts) * (0.5 + this.around.chance());
    this.attempts += 1;
    // A server on this machine is reachable without any network, so it is tried anyway.
    this.events.connection(this.around.isOnline() ? { state: "waiting", until: this.around.now() + pause } : { state: "offline" });
    this.timer = setTimeout(() => this.open(), pause);
  }

  /** The network or the person is back: reconnect now. */
  readonly hurry = () => {
    if (this.closed || this.welcomed) return;
    this.drop();
    this.attempts = 0;
    this.open();
  };

  private readonly offline = () => {
    if (this.closed || !this.welcomed) return;
    // The connection may be to this machine, and live. If it is not, a ping shows that sooner.
    this.socket?.send('{"type":"ping"}');
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.reopen(), DOUBT_MS);
  };

  private readonly visible = () => {
    if (this.around.document?.visibilityState === "visible") this.hurry();
  };
}
