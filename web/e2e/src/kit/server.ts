/** The real binary, with its own data folder and port. */

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

export const root = resolve(import.meta.dirname, "../../../..");
export const binary = process.env.ASKBRIDGE_BIN ?? join(root, "target/debug/askbridge");
export const tools = join(root, ".tools");

export interface Json {
  readonly [key: string]: unknown;
}

/** Processes that may still run, so that a failed journey leaves nothing behind. */
const started = new Set<ChildProcess>();
process.on("exit", () => started.forEach((child) => child.kill("SIGKILL")));

/** Ends a process with the journeys, however they end. */
export function ours<T extends ChildProcess>(child: T): T {
  started.add(child);
  child.once("exit", () => started.delete(child));
  return child;
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const taken = createServer();
  await new Promise<void>((ready) => taken.listen(0, "127.0.0.1", ready));
  const { port } = taken.address() as AddressInfo;
  await new Promise((closed) => taken.close(closed));
  return port;
}

export const endAll = () => started.forEach((child) => child.kill("SIGKILL"));

export class Server {
  readonly home = mkdtempSync(join(tmpdir(), "askbridge-e2e-"));
  readonly data = join(this.home, "data");
  readonly work = join(this.home, "work");
  address = "";
  private readonly env: Readonly<Record<string, string>>;
  private child: ChildProcess | null = null;
  private port = 0;

  private constructor(env: Readonly<Record<string, string>>) {
    this.env = env;
    mkdirSync(this.work);
    mkdirSync(join(this.home, "tmp"));
  }

  /** At a free port, or at this one. */
  static async start(env: Readonly<Record<string, string>> = {}, port = 0): Promise<Server> {
    const server = new Server(env);
    server.port = port;
    await server.run();
    return server;
  }

  /** Starts it, or starts it again at the same address. */
  async run() {
    // With a public address the server prints links to that one, which leads nowhere here.
    if (this.env.ASKBRIDGE_PUBLIC_URL && this.port === 0) this.port = await freePort();
    // Without a terminal, in a new session, so that nothing is taken for an agent's child.
    const child = ours(spawn("setsid", [binary, "serve"], {
      cwd: this.work,
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...this.scrubbed(), ASKBRIDGE_LISTEN: `127.0.0.1:${this.port}`, ...this.env },
    }));
    this.child = child;
    const link = await new Promise<string>((found, failed) => {
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).once("line", found);
      child.once("exit", (code) => failed(new Error(`the server ended with ${code}`)));
    });
    this.port ||= Number(new URL(link).port);
    this.address = `http://127.0.0.1:${this.port}`;
  }

  /** Restarts it if a failed journey has left it dead. */
  async isUp() {
    if (!this.child) await this.run();
  }

  /** Kills it with SIGKILL, by its own process id. */
  async kill() {
    const child = this.child;
    this.child = null;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await gone;
  }

  async stop() {
    const child = this.child;
    if (child && child.exitCode === null) {
      const gone = new Promise((done) => child.once("exit", done));
      child.kill("SIGTERM");
      await gone;
    }
    this.child = null;
    this.endAgents();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Agents outlive their server, but not the journey. */
  private endAgents() {
    const folder = join(this.data, "run/agents");
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".pid")) : [];
    for (const name of names) {
      const pid = Number(readFileSync(join(folder, name), "utf8").split(" ")[0]);
      // Each leads its own process group. One that has already ended is not an error.
      try { process.kill(-pid, "SIGKILL"); } catch { continue; }
    }
  }

  /** The environment of a program that may know nothing of this machine but the server's own folders. */
  scrubbed(): Record<string, string> {
    return {
      PATH: "/usr/local/bin:/usr/bin:/bin", HOME: this.home, TMPDIR: join(this.home, "tmp"), LANG: "C.UTF-8", USER: "ada",
      ASKBRIDGE_DATA: this.data,
    };
  }

  private get token(): string {
    return readFileSync(join(this.data, "token"), "utf8").trim();
  }

  /** Makes an HTTP request: as an agent of this machine, or with a token. */
  async call(method: string, path: string, body?: unknown, token = this.token): Promise<any> {
    const response = await fetch(this.address + path, {
      method, headers: { authorization: `Bearer ${token}` }, ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const said: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(said)}`);
    return said;
  }

  /** Makes an ask, as an agent does. Returns the ask. */
  ask = (ask: Json) => this.call("POST", "/v1/asks", ask);
  show = (id: string) => this.call("GET", `/v1/asks/${id}`);

  /** Makes a request on the local socket, as this process. */
  private async here(path: string, body: Json): Promise<{ status: number; said: any }> {
    const text = JSON.stringify(body);
    return new Promise((done, failed) => {
      const sent = request({ socketPath: join(this.data, "run/askbridge.sock"), method: "POST", path, headers: { host: "localhost", "content-length": Buffer.byteLength(text) } }, (response) => {
        let said = "";
        response.on("data", (part) => (said += part)).on("end", () => done({ status: response.statusCode ?? 0, said: JSON.parse(said) }));
      });
      sent.on("error", failed).end(text);
    });
  }

  /** A further device needs a tap on a paired one. Journeys have many people, so an extra one of the kit switches that off. */
  private async withoutTaps(): Promise<void> {
    const { said } = await this.here("/v1/pairings", { i_am_a_person: true, name: "kit", device: "kit", token: true });
    await this.here("/v1/taps", { on: false });
    const asks = await this.call("GET", "/v1/asks", undefined, said.token);
    const tap = asks.items.find((ask: any) => ask.agent === "askbridge");
    await this.call("POST", `/v1/asks/${tap.id}/answer`, { decision: "allow" }, said.token);
    const { status } = await this.here("/v1/taps?wait=30", { on: false });
    if (status !== 200) throw new Error(`taps could not be switched off: ${status}`);
  }

  private tapsAreOff: Promise<void> | null = null;

  /** Makes a link, or a token, for a person, on the local socket. */
  private async pairing(body: Json): Promise<any> {
    await (this.tapsAreOff ??= this.withoutTaps());
    const { status, said } = await this.here("/v1/pairings", { i_am_a_person: true, ...body });
    if (status !== 201) throw new Error(JSON.stringify(said));
    return said;
  }

  link = async (name = "ada"): Promise<string> => `${this.address}/#pair=${(await this.pairing({ name })).secret}`;
  person = async (name = "ada", device = "terminal"): Promise<string> => (await this.pairing({ name, device, token: true })).token;
}
