/** The HTTP endpoints that a front end uses, typed. */

import { Trouble, refused, unreachable } from "./trouble.ts";
import type { Ask, AskPage, Channel, ChannelChanges, ChannelPage, ChannelTest, Cluster, Device, DeviceLink, Entries, Folders, Forgotten, Me, NewAnswer, NewChannel, NewRemembered, NewSession, NodeForgotten, OfferedRuleOfAsk, OwnDevice, OwnDevicePage, Preview, Problem, Remembered, RememberedPage, RingPage, Rules, Session, SessionChanges, SessionListedPage, Snooze, SnoozePage, TakenMessage, WebPushKey } from "./types.ts";

/** Which asks of the past are wanted. */
export interface Wanted {
  readonly state?: "open" | "late" | "over" | "all" | Ask["state"];
  readonly session?: string;
  /** Words of the headline. */
  readonly q?: string;
  readonly order?: "newest" | "longest_waiting";
  readonly after?: string;
  readonly limit?: number;
}

/** Greater than every position of a session. */
const END = Number.MAX_SAFE_INTEGER;

export class Api {
  readonly base: string;
  private readonly token: string | null;
  private readonly doFetch: typeof fetch;

  constructor(base: string, token: string | null, doFetch: typeof fetch) {
    this.base = base;
    this.token = token;
    this.doFetch = doFetch;
  }

  me = () => this.get<Me>("/v1/me");
  ask = (id: string) => this.get<Ask>(`/v1/asks/${id}`);
  asks = (wanted: Wanted) => this.get<AskPage>("/v1/asks", wanted);
  answer = (id: string, answer: NewAnswer) => this.post<Ask>(`/v1/asks/${id}/answer`, answer);
  /** Hides an ask for this many seconds; `null`: shows it again. */
  snooze = (id: string, seconds: number | null) => this.post<Snooze>(`/v1/asks/${id}/snooze`, seconds === null ? {} : { seconds });
  snoozes = () => this.get<SnoozePage>("/v1/snoozes");
  /** Makes an address at which an option's preview can be shown in an iframe. */
  preview = (id: string, question: number, option: number) => this.post<Preview>(`/v1/asks/${id}/previews`, { question, option });
  sessions = (after: string | null) => this.get<SessionListedPage>("/v1/sessions", { after, limit: 100 });
  session = (id: string) => this.get<Session>(`/v1/sessions/${id}`);
  /** Returns the entries after a position. */
  entries = (id: string, after: number | null) => this.get<Entries>(`/v1/sessions/${id}/events`, { after, limit: 500 });
  /** Returns the entries before a position, or at the end; in order. */
  entriesBefore = (id: string, before: number | null, limit: number) =>
    this.get<Entries>(`/v1/sessions/${id}/events`, { before: before ?? END, limit });
  start = (session: NewSession) => this.post<Session>("/v1/sessions", session);
  configure = (id: string, changes: SessionChanges) => this.post<Session>(`/v1/sessions/${id}/configure`, changes);
  end = (id: string) => this.post<Session>(`/v1/sessions/${id}/close`, {});
  /** Forgets a whole conversation, for good. Refused while something in it is unfinished. */
  forget = (id: string) => this.send<Forgotten>("DELETE", `/v1/sessions/${id}`);
  say = (id: string, text: string, about?: string) =>
    this.post<TakenMessage>(`/v1/sessions/${id}/messages`, about ? { text, about } : { text });
  /** Returns the folders below one in which agents may work, or the roots. */
  folders = (below?: string) => this.get<Folders>("/v1/folders", { below });
  /** The rules in force, and what is wrong with their files. */
  rules = () => this.get<Rules>("/v1/rules");
  /** Decisions that people had remembered, the newest first. */
  remembered = () => this.get<RememberedPage>("/v1/rules/remembered");
  /** Makes a rule of a decision; with `dry_run` only shows it. */
  remember = (rule: NewRemembered) => this.post<Remembered>("/v1/rules/remembered", rule);
  /** The rule that is offered about an ask after several same decisions. */
  offeredRule = (id: string) => this.get<OfferedRuleOfAsk>(`/v1/asks/${id}/rule`);
  revokeRemembered = (id: string) => this.send<Remembered>("DELETE", `/v1/rules/remembered/${id}`);
  devices = () => this.get<OwnDevicePage>("/v1/devices");
  rename = (id: string, device: string) => this.post<OwnDevice>(`/v1/devices/${id}`, { device });
  revoke = (id: string) => this.send<OwnDevice>("DELETE", `/v1/devices/${id}`);
  /** Makes a pairing link for another device of the same person. */
  linkDevice = () => this.post<DeviceLink>("/v1/devices", {});
  /** The ways in which the person is reached while away. */
  channels = () => this.get<ChannelPage>("/v1/channels");
  addChannel = (channel: NewChannel) => this.post<Channel>("/v1/channels", channel);
  removeChannel = (id: string) => this.send<Channel>("DELETE", `/v1/channels/${id}`);
  changeChannel = (id: string, changes: ChannelChanges) => this.post<Channel>(`/v1/channels/${id}`, changes);
  /** Sends a test, and waits so many seconds until the person taps it. */
  testChannel = (id: string, wait = 0) => this.post<ChannelTest>(`/v1/channels/${id}/test?wait=${wait}`, {});
  /** What was rung, newest first, and what became of it. */
  rings = () => this.get<RingPage>("/v1/rings");
  /** The nodes that share the journal, as the one that answers sees them. For operators. */
  cluster = () => this.get<Cluster>("/v1/cluster");
  /** Declares a node gone that will not come back. Refused while it is up. */
  forgetNode = (id: string) => this.post<NodeForgotten>(`/v1/cluster/nodes/${id}/forget`, {});
  webPushKey = () => this.get<WebPushKey>("/v1/web-push");

  private get<T>(path: string, query: object = {}): Promise<T> {
    const wanted = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
    const search = new URLSearchParams(wanted.map(([key, value]) => [key, String(value)])).toString();
    return this.send("GET", search ? `${path}?${search}` : path);
  }

  private post<T>(path: string, body: unknown): Promise<T> {
    return this.send("POST", path, body);
  }

  private async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers: Record<string, string> = {};
    if (this.token !== null) headers.authorization = `Bearer ${this.token}`;
    if (body !== undefined) headers["content-type"] = "application/json";
    let response: Response;
    try {
      response = await this.doFetch(this.base + path, {
        method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch {
      throw new Trouble(unreachable);
    }
    const said: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new Trouble(refused((said ?? {}) as Partial<Problem>));
    return said as T;
  }
}

/** Pairs this browser as a device of the person who was given the link. Returns its token, which is shown this once. */
export async function pair(base: string, secret: string, device: string, doFetch: typeof fetch = fetch): Promise<Device> {
  const response = await doFetch(`${base}/v1/pair`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ secret, device }),
  }).catch(() => {
    throw new Trouble(unreachable);
  });
  const said: unknown = await response.json().catch(() => ({}));
  if (!response.ok) throw new Trouble(refused(said as Partial<Problem>));
  return said as Device;
}
