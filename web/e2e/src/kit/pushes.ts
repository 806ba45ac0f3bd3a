/** A push service on this machine, and the keys of a browser that subscribed to it: what the server sends is decrypted here. */

import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server as Http } from "node:http";
import type { AddressInfo } from "node:net";
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

  /** Opens a message in the coding `aes128gcm` (RFC 8188) with one record. */
  open(body: Buffer): any {
    const [salt, keyLength] = [body.subarray(0, 16), body.readUInt8(20)];
    const theirs = body.subarray(21, 21 + keyLength);
    const sealed = body.subarray(21 + keyLength);
    const derive = (key: Uint8Array, salted: Uint8Array, info: Uint8Array, length: number) => Buffer.from(hkdfSync("sha256", key, salted, info, length));
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.pair.getPublicKey(), theirs]);
    const shared = derive(this.pair.computeSecret(theirs), this.secret, info, 32);
    const key = derive(shared, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
    const nonce = derive(shared, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
    const cipher = createDecipheriv("aes-128-gcm", key, nonce);
    cipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
    // The last record ends with a 2, and zeros after it.
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString("utf8"));
  }
}
