/** The real Claude Code in front of a scripted model, and the server that runs it. */

import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { binary, ours, Server, tools } from "./server.ts";

const CLI = process.env.ASKBRIDGE_TEST_CLAUDE ?? join(tools, "claude/2.1.325/claude");
const MODEL = join(dirname(binary), "fake-model");

export class Model {
  private readonly child: ChildProcess;
  readonly address: string;
  /** The requests that the model got, as text. */
  readonly heard: string[];

  private constructor(child: ChildProcess, address: string, heard: string[]) {
    this.child = child;
    this.address = address;
    this.heard = heard;
  }

  static async start(folder: string, turns: readonly unknown[]): Promise<Model> {
    const script = join(folder, "script.json");
    writeFileSync(script, JSON.stringify({ turns }));
    const child = ours(spawn(MODEL, [script], { stdio: ["pipe", "pipe", "inherit"] }));
    const heard: string[] = [];
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const address = await new Promise<string>((found) => lines.once("line", found));
    lines.on("line", (line) => heard.push(line));
    return new Model(child, address, heard);
  }

  /** Opens a gate, for a reply that waits at it now or later. */
  open(gate: string) {
    this.child.stdin?.write(`${gate}\n`);
  }

  stop() {
    this.child.kill("SIGTERM");
  }
}

/** Starts a server whose agents use `turns` as their model. */
export async function withClaude(folder: string, turns: readonly unknown[]): Promise<{ server: Server; model: Model }> {
  const model = await Model.start(folder, turns);
  const server = await Server.start({
    ANTHROPIC_BASE_URL: model.address, ANTHROPIC_API_KEY: "scripted-key", DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", IS_SANDBOX: "1", ASKBRIDGE_CLAUDE: CLI,
    ASKBRIDGE_AGENT_ENV: "DISABLE_TELEMETRY,DISABLE_AUTOUPDATER,TMPDIR,IS_SANDBOX",
  });
  return { server, model };
}
