/** A push service on this machine, and the keys of a browser that subscribed to it: what the server sends is decrypted here. */

import { spawnSync } from "node:child_process";
import { createECDH, randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server as Http } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { root, tools } from "./server.ts";
import { until } from "./until.ts";

export interface Pushed {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Takes whatever is posted to it. */
export class Receiver {
  readonly got: Pushed[] = [];
  readonly address: string;
  /** The status of the following responses. */
  status = 201;
  private readonly http: Http;

  private constructor(http: Http) {
    this.http = http;
    this.address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  }

  static async open(): Promise<Receiver> {
    const self: { it?: Receiver } = {};
    const http = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part)).on("end", () => {
        self.it?.got.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(parts) });
        response.writeHead(self.it?.status ?? 500).end();
      });
    });
    await new Promise<void>((ready) => http.listen(0, "127.0.0.1", ready));
    self.it = new Receiver(http);
    return self.it;
  }

  /** Waits for the next one that `isMeant`, and takes it out. */
  async next(isMeant: (pushed: Pushed) => boolean = () => true): Promise<Pushed> {
    const found = await until(() => this.got.find(isMeant));
    this.got.splice(this.got.indexOf(found), 1);
    return found;
  }

  close() {
    this.http.close();
    this.http.closeAllConnections();
  }
}

/** A Python with `http-ece`, which knows nothing of us. */
const python = process.env.ASKBRIDGE_TEST_RECEIVERS ?? join(tools, "receivers/1/bin/python");
const script = join(root, "crates/ringing/tests/python/receivers.py");

/** The keys that a browser makes when it subscribes (RFC 8291). */
export class BrowserKeys {
  private readonly pair = createECDH("prime256v1");
  private readonly secret = randomBytes(16);
  readonly p256dh: string;
  readonly auth: string;

  constructor() {
    this.p256dh = this.pair.generateKeys().toString("base64url");
    this.auth = this.secret.toString("base64url");
  }

  /** What was pushed, decrypted by an independent library, which also checks the signature of the sender. */
  open({ body, headers }: Pushed): any {
    const given = { private: this.pair.getPrivateKey().toString("base64url"), auth: this.auth, body: body.toString("base64url"), authorization: headers.authorization };
    const read = spawnSync(python, ["-I", script, "push"], { input: JSON.stringify(given), encoding: "utf8" });
    if (read.status !== 0) throw new Error(`the push could not be read: ${read.error ?? read.stderr}`);
    return JSON.parse(read.stdout).message;
  }
}
