/** The guide to several machines, as it stands on its page: its hosts, and its containers, are processes here. */

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Person, scratch } from "../kit/browser.ts";
import { blockWith, compose, packaged, unitOf } from "../kit/guide.ts";
import { listens, Nats } from "../kit/nats.ts";
import { binary, freePort, ours, Server, tools } from "../kit/server.ts";
import { until } from "../kit/until.ts";

const PAGE = "guides/cluster.md";
const HOSTS = ["a", "b", "c"];

/** What a test has started; it ends in the opposite order. */
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
function started<T extends { stop(): unknown }>(it: T): T {
  ends.push(() => it.stop());
  return it;
}

/** Ports of this machine in place of those of several: each name and port of the text is another one here. */
class Ports {
  private readonly known = new Map<string, Promise<number>>();

  of(address: string): Promise<number> {
    const known = this.known.get(address) ?? freePort();
    this.known.set(address, known);
    return known;
  }

  /** `host` is the machine whose text it is: what it listens on, and what it calls itself. */
  async in(text: string, host: string): Promise<string> {
    const address = /(?:0\.0\.0\.0|127\.0\.0\.1|[a-z]\.example\.org|nats-\d):\d{4}/g;
    const own = (found: string) => found.replace(/^(0\.0\.0\.0|127\.0\.0\.1)/, host).replace(".example.org", "");
    const ports = new Map(await Promise.all([...text.matchAll(address)].map(async ([found]) => [found, await this.of(own(found))] as const)));
    return text.replace(address, (found) => `127.0.0.1:${ports.get(found)}`);
  }
}

/** The nodes that a node knows, by name, once all of them are up. */
async function upOn(server: Server, names: readonly string[]) {
  await until(async () => {
    const { nodes } = await server.call("GET", "/v1/cluster");
    return nodes.filter(({ state }: any) => state === "up").map(({ name }: any) => name).sort().join() === names.join();
  }, 90_000);
}

test("three hosts are set up with the blocks of the guide, and people behind one name go on when their node dies", async () => {
  const files = scratch();
  ends.push(files.remove);
  const ports = new Ports();
  const config = blockWith(PAGE, "sync_interval");
  const command = /^ExecStart=\S+\/nats-server (.*)$/m.exec(blockWith(PAGE, "ExecStart="))![1]!.split(" ");
  const servers = await Promise.all(HOSTS.map(async (host) => {
    const text = (await ports.in(config, host)).replace("server_name: a", `server_name: ${host}`).replace("/var/lib/nats", "FOLDER");
    return Nats.configured(await ports.of(`${host}:4222`), text, command.map((word) => (word === "/etc/nats/askbridge.conf" ? "FILE" : word)));
  }));
  servers.forEach(started);

  // One name for people.
  const door = await freePort();
  const name = `http://127.0.0.1:${door}`;
  const unit = unitOf(blockWith(PAGE, "ASKBRIDGE_JOURNAL="));
  const [credential] = Object.keys(unit.credentials);
  writeFileSync(join(files.folder, credential!), /password: "(pw_\w+)"/.exec(config)![1]!);
  const nodes: Server[] = [];
  for (const host of HOSTS) {
    const environment = await Promise.all(Object.entries(unit.environment).map(async ([key, value]) => {
      const here = key.endsWith("_NODE_NAME") ? host : value.replace("a.example.org:4760", `${host}.example.org:4760`);
      return [key, key === "ASKBRIDGE_JOURNAL" ? await ports.in(value, host) : (await ports.in(here, host)).replace("%d", files.folder).replace("https://ask.example.org", name)] as const;
    }));
    nodes.push(started(await Server.start(Object.fromEntries(environment), await ports.of(`${host}:4760`))));
  }
  await Promise.all(nodes.map((node) => upOn(node, HOSTS)));
  // The service's user and folder are those of the test.
  const typed = blockWith(PAGE, "systemctl restart").trim().split("\n").at(-1)!.split(" askbridge ").at(-1)!;
  const status = execFileSync(binary, typed.split(" "), { encoding: "utf8", env: nodes[0]!.scrubbed() });
  for (const host of HOSTS) expect(status).toMatch(new RegExp(`^${host}( \\(here\\))?  node_\\w{16}  up`, "m"));

  const site = join(files.folder, "Caddyfile");
  const block = blockWith(PAGE, "reverse_proxy a.example.org");
  writeFileSync(site, `{\n\tadmin off\n}\n${(await ports.in(block, "door")).replace("ask.example.org {", `${name} {`).replace("ask.example.org", new URL(name).host)}`);
  const packedCaddy = join(tools, "caddy/usr/bin/caddy");
  const caddy = ours(spawn(existsSync(packedCaddy) ? packedCaddy : "caddy", ["run", "--config", site, "--adapter", "caddyfile"], { stdio: "ignore", env: { ...nodes[0]!.scrubbed() } }));
  ends.push(() => caddy.kill("SIGTERM"));
  await until(() => listens(door));

  const ada = await Person.stranger({ address: name } as Server);
  await ada.page.goto(`${name}/${new URL(await nodes[0]!.link()).hash}`);
  await ada.isIn();
  const asked = await nodes[1]!.ask({ questions: [{ question: "Which way?", options: ["Left", "Right"] }], agent: "ci" });
  await ada.page.getByText("Which way?").first().waitFor();
  await ada.go("/settings/cluster");
  const here = ada.page.getByRole("listitem").filter({ hasText: "this page is connected here" });
  const host = await here.getByRole("heading", { level: 2 }).innerText();
  await nodes[HOSTS.indexOf(host)]!.kill();
  await ada.page.getByText("3 nodes share this inbox. 1 is down.").waitFor();
  await ada.go(`/asks/${asked.id}`);
  await ada.page.getByRole("radio", { name: "Left" }).click();
  const other = nodes.find((_, at) => HOSTS[at] !== host)!;
  await until(async () => ["proposed", "answered"].includes((await other.show(asked.id)).state));
  await ada.context.close();
});

test("the services of the compose file serve as processes, with their commands, environment and health checks", async () => {
  const files = scratch();
  ends.push(files.remove);
  const { services, secrets } = compose(packaged("docker/compose.yaml"));
  // The password is made by the line of the guide.
  const [, line] = blockWith(PAGE, "docker compose up").split("\n");
  execFileSync("bash", ["-c", line!], { cwd: files.folder });
  const dotenv = Object.fromEntries([readFileSync(join(files.folder, ".env"), "utf8").trim().split("=") as [string, string]]);
  const filled = (env: Record<string, string>) => Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value.replace(/^\$\{(\w+):\?.*\}$/, (_, name: string) => dotenv[name]!)]));
  const ports = new Ports();
  const named = (what: string) => Object.entries<any>(services).filter(([name]) => name.startsWith(what));

  const servers = await Promise.all(named("nats-").map(async ([name, service]) => {
    const [source, target] = service.volumes[0].split(":");
    const config = (await ports.in(packaged(`docker/${source}`), name)).replace('"/data"', '"FOLDER"');
    return Nats.configured(await ports.of(`${name}:4222`), config, service.command.map((word: string) => (word === target ? "FILE" : word)), filled(service.environment));
  }));
  servers.forEach(started);
  expect(servers).toHaveLength(3);

  for (const [secret, { environment }] of Object.entries<any>(secrets)) {
    mkdirSync(join(files.folder, "secrets"), { recursive: true });
    writeFileSync(join(files.folder, "secrets", secret), dotenv[environment]!);
  }
  const nodes: Server[] = [];
  const names = named("askbridge-").map(([name]) => name);
  for (const [name, service] of named("askbridge-")) {
    const environment = await Promise.all(Object.entries<string>(filled(service.environment)).map(async ([key, value]) => {
      const here = value.replace("/run/secrets/", `${join(files.folder, "secrets")}/`);
      return [key, key === "ASKBRIDGE_PUBLIC_URL" ? here : await ports.in(here, name)] as const;
    }));
    const { ASKBRIDGE_PUBLIC_URL: link, ...rest } = Object.fromEntries(environment);
    expect(service.ports).toEqual([`127.0.0.1:${new URL(link!).port}:4760`]);
    nodes.push(started(await Server.start(rest)));
  }
  await Promise.all(nodes.map((node) => upOn(node, names)));
  for (const node of nodes) expect((await fetch(`${node.address}/readyz`)).status).toBe(200);
  for (const [name, service] of named("nats-")) {
    const check = service.healthcheck.test.at(-1);
    await until(async () => (await fetch(await ports.in(check, name))).ok);
  }
  const asked = await nodes[0]!.ask({ question: "Is it shared?", agent: "ci" });
  const ada = await nodes[1]!.person();
  // The third node learns of a token that the second one has just made.
  await until(async () => (await nodes[2]!.call("GET", `/v1/asks/${asked.id}`, undefined, ada).catch(() => null))?.state === "open");
});
