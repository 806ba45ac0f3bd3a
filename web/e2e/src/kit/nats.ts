/** Real NATS servers, for servers that share a journal. */

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, ours, tools } from "./server.ts";
import { until } from "./until.ts";

export class Nats {
  /** As the setting `journal` names it. */
  readonly journal: string;
  private readonly folder: string;
  private readonly child: ChildProcess;

  private constructor(journal: string, folder: string, child: ChildProcess) {
    this.journal = journal;
    this.folder = folder;
    this.child = child;
  }

  /** One server, which keeps the only copy. */
  static async start(): Promise<Nats> {
    const port = await freePort();
    return Nats.run(port, (folder) => ["--jetstream", "--store_dir", folder, "--addr", "127.0.0.1", "--port", String(port)]);
  }

  /**
   * A server that listens on `port` as `config` says. `args` are those of its command, where `FILE` stands for the file and
   * `FOLDER` in the configuration for a folder of its own.
   */
  static configured(port: number, config: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Nats> {
    return Nats.run(port, (folder) => {
      const file = join(folder, "server.conf");
      writeFileSync(file, config.replaceAll("FOLDER", join(folder, "store")));
      return args.map((word) => (word === "FILE" ? file : word));
    }, env);
  }

  private static async run(port: number, args: (folder: string) => string[], env: Readonly<Record<string, string>> = {}): Promise<Nats> {
    const program = process.env.ASKBRIDGE_NATS_SERVER ?? join(tools, "nats-server");
    if (!existsSync(program)) throw new Error(`there is no ${program}; \`cargo xtask install\` fetches it`);
    const folder = mkdtempSync(join(tmpdir(), "askbridge-e2e-nats-"));
    const child = ours(spawn(program, args(folder), { stdio: "ignore", env: { PATH: process.env.PATH ?? "", ...env } }));
    let code: number | null = null;
    child.once("exit", (ended) => (code = ended ?? -1));
    await until(() => {
      if (code !== null) throw new Error(`the NATS server ended with ${code}`);
      return listens(port);
    });
    return new Nats(`nats://127.0.0.1:${port}`, folder, child);
  }

  /** The settings of a server that keeps its journal here. */
  settings = (name: string): Record<string, string> => ({ ASKBRIDGE_JOURNAL: this.journal, ASKBRIDGE_NATS_REPLICAS: "1", ASKBRIDGE_NODE_NAME: name });

  async stop() {
    if (this.child.exitCode === null) {
      const gone = new Promise((done) => this.child.once("exit", done));
      this.child.kill("SIGTERM");
      await gone;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Does something listen there? */
export const listens = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => { socket.destroy(); done(true); }).once("error", () => done(false));
  });
