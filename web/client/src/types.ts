// Made from the schemas of the API, which are made from the code. Not written by hand:
// `BLESS=1 cargo test -p askbridge-bridge --test it documents` rewrites it.

/** Who is an agent. */
export interface Announcement {
  /** Whatever started the caller, instead of the caller itself: an agent that starts a helper of ours. */
  parent?: boolean;
}

/** What was decided about an approval, a plan or a form. */
export type AnswerDecision =
  | AllowAnswerDecision
  | DenyAnswerDecision
  | ApproveAnswerDecision
  | SendBackAnswerDecision
  | AcceptAnswerDecision
  | DeclineAnswerDecision;

export interface AllowAnswerDecision {
  decision: "allow";
  /** The index of the offered rule that is to be remembered. */
  always?: number;
  /** The input to run instead. */
  input?: unknown;
  /** That rule itself. */
  rule?: unknown;
}

export interface DenyAnswerDecision {
  decision: "deny";
  /** End the agent's turn as well. */
  stop: boolean;
  words?: string;
}

export interface ApproveAnswerDecision {
  decision: "approve";
  /** The changed plan. */
  plan?: string;
}

export interface SendBackAnswerDecision {
  decision: "send_back";
  words: string;
}

export interface AcceptAnswerDecision {
  decision: "accept";
  /** Field names and values. */
  content: Record<string, FieldValue>;
}

export interface DeclineAnswerDecision {
  decision: "decline";
  words?: string;
}

/** What an answer says to one question. `null` skips it. */
export type AnswerGiven = null | string | string[] | {
  /** Options by their index. */
  options?: number[];
  text?: string;
};

/** What was answered: labels and texts for questions, the decision for everything else. Empty until then. */
export type Answers = AnswerDecision | Record<string, OneOrSeveral>;

/** May this tool run with this input? */
export interface Approval {
  input: unknown;
  /** The agent denied the call by itself already, and no person was asked. An allow overrules that: the agent may make the very same call once more, and it runs. The input cannot be changed, and nothing is remembered. */
  overrule?: boolean;
  reason?: string;
  rules: OfferedRule[];
  summary?: string;
  tool: string;
}

/** An ask and everything that became of it. */
export type Ask =
  | QuestionsAsk
  | ApprovalAsk
  | PlanAsk
  | FormAsk;

/** What every Ask has. */
export interface AskCommon {
  agent: string;
  /** Can it still be answered, perhaps late? */
  answerable: boolean;
  answers: Answers;
  asked_at: Time;
  /** `null`: nobody yet, or nobody came. */
  by: By | null;
  /** `false`: it is decided, but the dialog in the agent's own terminal is still open, and may have been answered first. Afterwards it is delivered or overtaken. */
  certain?: boolean;
  context?: Context;
  /** `null`: it waits for ever. */
  deadline: Time | null;
  /** When the agent showed that it had heard; of an approval, that it ran what was allowed. */
  delivered_at: Time | null;
  /** How the agent reaches us. */
  door: string;
  /** When the agent's program took the decision, where nothing shows what it did with it (approvals through MCP). */
  handed_at?: Time;
  /** The node that runs the agent. Left out unless several share the journal. */
  host?: Host;
  id: string;
  late?: Late;
  /** The machine that it came from, by the name under which a person connected it. Left out for this machine. */
  machine?: string;
  /** The session went on as another one; this is the ask there. */
  moved_to?: string;
  notes: Record<string, string>;
  /** No process waits for the answer; the agent will be started again with it. */
  parked: boolean;
  /** Several people have to say the same. */
  quorum?: Quorum;
  /** With `overtaken`: the input that the call ran with, where that is not what was allowed. */
  ran?: unknown;
  /** Where it rang for you, and what became of that. Only on the ask itself, not in lists. */
  rings?: Ring[];
  session: string;
  settled_at: Time | null;
  /** The texts of the questions that were skipped. */
  skipped: string[];
  state: AskState;
  /** The way back to the agent is gone; the answer goes to it as a message, if it comes back. */
  stranded: boolean;
  /** This is a list or a snapshot, and the ask is too large for it: texts are shortened and long lists end early. Nobody should decide by it; `GET /v1/asks/{id}` shows the whole ask. */
  truncated?: Truncated;
  /** Until when the answer can be taken back. */
  undo_until?: Time;
  verdict: Verdict | null;
  /** What a person wrote on closing it, or why the agent no longer waits. */
  words?: string;
}

export interface QuestionsAsk extends AskCommon {
  kind: "questions";
  questions: Question[];
}

export interface ApprovalAsk extends AskCommon {
  kind: "approval";
  approval: Approval;
}

export interface PlanAsk extends AskCommon {
  kind: "plan";
  plan: string;
}

export interface FormAsk extends AskCommon {
  kind: "form";
  form: Form;
}

/** One page of a list. */
export interface AskPage {
  items: Ask[];
  /** `null`: this was the last page. */
  next: string | null;
}

/** How an ask stands. */
export type AskState = "open" | "proposed" | "answered" | "dismissed" | "expired" | "ruled" | "withdrawn" | "overtaken";

/** Whether the person is away, and why we think so. */
export interface Away {
  /** How long that has to be before it counts as away. */
  away_after_seconds: number;
  is_away: boolean;
  mode: AwayMode;
  /** How long nobody has typed at a terminal of this machine; `null` if there is none. */
  quiet_seconds: number | null;
}

/** What a person said about it. */
export type AwayMode = "on" | "off" | "auto";

/** What a block of streaming text is. */
export type BlockKind = "text" | "thinking" | "asking";

/** A browser's keys, as `PushSubscription.toJSON()` has them. */
export interface BrowserKeys {
  auth: string;
  p256dh: string;
}

/** Who decided: a person, or a rule by its name. */
export type By = {
  device: string;
  person: string;
  via: string;
} | {
  /** The file that the rule is in; without one, a bot decided. */
  file?: string;
  /** The line on which the rule begins. */
  line?: number;
  rule: string;
};

/** A channel, without its secrets. */
export interface Channel {
  added_at: Time;
  /** Why it does not work, and since when. */
  broken?: ChannelBroken;
  content: Content;
  decides: Decides;
  id: string;
  kind: string;
  name: string;
  /** How to pair it; only when it is made. */
  pair?: ChannelPairing;
  /** Does it lead to a person yet? Telegram and Slack have to be paired first. */
  paired: boolean;
  person: string;
  quiet?: string;
  /** What it tells of besides asks. */
  tells: NewsKind[];
  /** Where it leads, without secrets. */
  to: string;
}

/** Why a channel does not work. */
export interface ChannelBroken {
  since: Time;
  /** As the service said it. */
  why: string;
}

/** What is to be changed; what is left out stays as it is. */
export interface ChannelChanges {
  content?: Content;
  decides?: Decides;
  name?: string;
  /** Times of day at which only urgent asks ring; `null`: those of the settings. */
  quiet?: string;
  /** What it tells of besides asks: all of it. */
  tells?: NewsKind[];
}

/** One page of a list. */
export interface ChannelPage {
  items: Channel[];
  /** `null`: this was the last page. */
  next: string | null;
}

/** How a chat becomes this person's. */
export interface ChannelPairing {
  /** Valid once, for a quarter of an hour. */
  code: string;
  /** The link to open on the phone. */
  link?: string;
  /** What to do, in words. */
  says: string;
}

/** What became of a test. */
export interface ChannelTest {
  /** Can the person show that it arrived, with a tap? */
  can_be_tapped: boolean;
  /** `sent`: the service took it; `delivered`: the device showed it; `seen`: the person tapped it; `failed`. */
  state: RingState;
  why?: string;
}

/** An option of a question. */
export interface Choice {
  description?: string;
  label: string;
  preview?: string;
}

/** What a client sends. */
export type ClientFrame =
  | HelloClientFrame
  | AnswerClientFrame
  | DismissClientFrame
  | ExtendClientFrame
  | UndoClientFrame
  | WithdrawClientFrame
  | DraftClientFrame
  | ShowClientFrame
  | StartClientFrame
  | ConfigureClientFrame
  | CloseClientFrame
  | ForgetClientFrame
  | SayClientFrame
  | UnsayClientFrame
  | InterruptClientFrame
  | LookingClientFrame
  | PingClientFrame
  | PongClientFrame;

/** Says who you are, and from where to follow. The first frame. */
export interface HelloClientFrame {
  type: "hello";
  cursor?: string;
  token?: string;
}

/** Answers an ask. */
export interface AnswerClientFrame {
  type: "answer";
  /** With `allow`: the index of the offered rule to remember. */
  always?: number;
  /** `{question text: label | [labels] | free text}`; `{"options": [0, 2], "text": "…"}` names options by index. */
  answers?: Record<string, AnswerGiven>;
  ask: string;
  /** With `accept`: field names and values. */
  content?: Record<string, FieldValue>;
  /** `allow`, `deny`, `approve`, `send_back`, `accept` or `decline`. */
  decision?: DecisionWord;
  /** With `allow`: the input to run instead. */
  input?: unknown;
  /** `{question text: note}`. */
  notes?: Record<string, string>;
  /** With `approve`: the changed plan. */
  plan?: string;
  /** With `deny`: end the agent's turn as well. */
  stop?: boolean;
  tag: number;
  /** How many seconds the answer can be taken back before it counts, 0 to 60. The ask's own undo time counts if it is longer. */
  undo_seconds?: number;
  /** With `deny`, `send_back` or `decline`: why. */
  words?: string;
}

/** Closes an ask without an answer. */
export interface DismissClientFrame {
  type: "dismiss";
  ask: string;
  tag: number;
  words?: string;
}

/** Moves the deadline. */
export interface ExtendClientFrame {
  type: "extend";
  ask: string;
  /** `null` or missing: wait for ever. */
  seconds?: number;
  tag: number;
}

/** Takes an answer back, within the undo time, or a vote while more people have to agree. */
export interface UndoClientFrame {
  type: "undo";
  ask: string;
  tag: number;
}

/** Whoever asked no longer wants to know. */
export interface WithdrawClientFrame {
  type: "withdraw";
  ask: string;
  tag: number;
  words?: string;
}

/** Keeps what was half written, for your other devices. */
export interface DraftClientFrame {
  type: "draft";
  ask: string;
  draft: unknown;
  tag: number;
}

/** Wants to see an ask as it is. */
export interface ShowClientFrame {
  type: "show";
  ask: string;
  tag: number;
}

/** Starts a session, as `POST /v1/sessions` does. */
export interface StartClientFrame {
  type: "start";
  /** `claude`: one that we run. Anything else names a program that asks by itself, for people to read. Without it: the token's name. */
  agent?: string;
  allowed_tools?: string[];
  /** Tools that always go to a person, whatever the mode allows: `Bash`, `mcp__github__*`, `Bash(*git push*)`. Beside those that the server names. */
  always_ask?: string[];
  append_system_prompt?: string;
  branch?: string;
  /** Another name for `folder`. */
  cwd?: string;
  disallowed_tools?: string[];
  /** The folder in which it works. */
  folder?: string;
  /** How long the process is kept for an open permission, then it is denied in words. `"off"`: as long as it takes. */
  hold_max_seconds?: unknown;
  /** The node that runs it, where several share the journal: its name, its id, or a label that it has. Missing: the node that may work in the folder. */
  host?: string;
  /** `false`: no person will be there. As `unattended: "hide"`, unless `unattended` says otherwise. */
  interactive?: boolean;
  max_turns?: number;
  mcp_servers?: Record<string, unknown>;
  /** What a message does while an ask is open: `hold`, `cancel_turn`, `refuse` or `pass_on`. */
  messages?: Messages;
  model?: string;
  /** What happens when another tool needs a permission: `ask` (the default) or `allow`. */
  other_tools?: string;
  /** May several asks be open at once? */
  parallel?: boolean;
  permission_mode?: string;
  setting_sources?: string[];
  system_prompt?: string;
  tag: number;
  /** How long asks of this session wait, unless they say otherwise. Missing: for ever. */
  timeout_seconds?: number;
  title?: string;
  /** No person will be there, and what becomes of the agent's questions and permissions where no rule decides: `hide` (it gets no tool to ask), `deny` (in words), `park` (they wait for a person, without the process), or `answer` (questions get the recommended option, or else the first; everything else is denied in words). */
  unattended?: "hide" | "deny" | "park" | "answer";
  /** How long an answer can be taken back before it counts. */
  undo_seconds?: number;
  /** How long the process is kept for an open question. `0`: not at all; `"off"`: as long as it takes. */
  warm_seconds?: unknown;
  /** The step workflow of gobby's that it starts with: of the operator's folder of rules, or of the project's own. */
  workflow?: string;
}

/** Changes a session while it goes on. */
export interface ConfigureClientFrame {
  type: "configure";
  branch?: string;
  model?: string;
  permission_mode?: string;
  session: string;
  tag: number;
  title?: string;
}

/** Ends a session. Its agent's process ends, and what it had asked is taken back. */
export interface CloseClientFrame {
  type: "close";
  session: string;
  tag: number;
  why?: string;
}

/** Forgets the whole conversation that a session belongs to, as `DELETE /v1/sessions/{id}` does. */
export interface ForgetClientFrame {
  type: "forget";
  session: string;
  tag: number;
}

/** Says something to an agent. */
export interface SayClientFrame {
  type: "say";
  about?: string;
  session: string;
  tag: number;
  text: string;
}

/** Takes back a message that still waits. */
export interface UnsayClientFrame {
  type: "unsay";
  message: string;
  tag: number;
}

/** Interrupts an agent. */
export interface InterruptClientFrame {
  type: "interrupt";
  session: string;
  tag: number;
}

/** What your page shows, instead of what you said before. Whoever looks at a card is not rung for it, so say it again with every ping, and say that you show nothing when the page is hidden or not in use. */
export interface LookingClientFrame {
  type: "looking";
  /** The asks whose cards are on the screen; at most 64 count. */
  asks: string[];
}

/** Are you there? */
export interface PingClientFrame {
  type: "ping";
  tag?: number;
}

/** Here I am. */
export interface PongClientFrame {
  type: "pong";
}

/** Why it ends. */
export interface CloseSession {
  why?: string;
}

/** The nodes that share a journal. */
export interface Cluster {
  /** Is this server the only one that can use its journal? */
  alone: boolean;
  /** The node that answered. */
  here: string;
  /** Does this node leave it to others to settle what is due and to ring, because it cannot reach the journal or its clock is off? */
  holds_back?: string;
  nodes: Node[];
  /** The place of this node among those that are up: the first settles what is due. */
  rank: number;
}

/** A code that was made. */
export interface Code {
  /** Six digits. Kept here only as a hash. */
  code: string;
  name: string;
  /** How long it works. */
  seconds: number;
}

/** A machine that may ask here. */
export interface Connection {
  /** For revoking it; not a secret. */
  id: string;
  /** What people read on its cards. */
  name: string;
}

/** How much of an ask a notice shows. */
export type Content = "shown" | "hidden";

/** What a person needs to decide from a phone. */
export interface Context {
  branch?: string;
  folder?: string;
  text?: string;
  title?: string;
}

/** What may be decided from a notice, without opening the card. */
export type Decides = "nothing" | "questions" | "approvals";

/** A decision about an approval (allow, deny), a plan (approve, send_back) or a form (accept, decline). */
export type DecisionWord = "allow" | "deny" | "approve" | "send_back" | "accept" | "decline";

/** A device that was paired. */
export interface Device {
  device: string;
  name: string;
  /** Shown this once; kept here only as a hash. */
  token: string;
}

/** A link that makes a device of whatever opens it. */
export interface DeviceLink {
  expires_at: Time;
  /** What stands behind `#pair=` in the link. */
  secret: string;
}

/** What a person has half written about an ask. */
export interface Draft {
  ask: string;
  draft: unknown;
}

/** What happened in a session, in order. */
export interface Entries {
  items: Entry[];
  /** The `after` of the next page, or with `before` the `before` of the one in front. `null`: this is all there is so far. */
  next: number | null;
}

/** What was recorded in one go. */
export interface Entry {
  /** Milliseconds since 1970. */
  at: number;
  events: Event[];
  position: number;
}

/** Why something was refused. Never changes for the same cause; each has a page at /docs/errors/CODE. */
export type ErrorCode = "not_json" | "unauthorized" | "agent_may_not_decide" | "forbidden" | "host_not_allowed" | "no_device_left" | "origin_not_allowed" | "tap_denied" | "tap_expired" | "tap_needed" | "unknown_address" | "unknown_ask" | "unknown_channel" | "unknown_message" | "unknown_node" | "unknown_rule" | "unknown_session" | "unknown_token" | "wrong_method" | "too_slow" | "already_decided" | "already_started" | "ask_open" | "channel_refused" | "hosted_elsewhere" | "messages_refused" | "node_up" | "not_open" | "not_parkable" | "not_settled" | "nothing_to_undo" | "session_closed" | "session_full" | "session_moved_on" | "session_unfinished" | "stale_epoch" | "ticket_refused" | "gone" | "pairing_used" | "too_large" | "answer_does_not_fit" | "bad_request" | "not_a_websocket" | "too_fast" | "too_many_asks" | "too_many_messages" | "too_much_open" | "down" | "host_down" | "no_claude";

/** Something that happened, as it is stored and told. */
export type Event =
  | StartedEvent
  | ClosedEvent
  | ContinuedEvent
  | HostedEvent
  | UnhostedEvent
  | SaidEvent
  | UnsaidEvent
  | ConfiguredEvent
  | InterruptedEvent
  | AskedEvent
  | ProposedEvent
  | UndoneEvent
  | ExtendedEvent
  | VotedEvent
  | SettledEvent
  | WithdrawnEvent
  | OvertakenEvent
  | ParkedEvent
  | StrandedEvent
  | LateAnsweredEvent
  | OverruleUsedEvent
  | HandedEvent
  | DeliveredEvent
  | TextEvent
  | ThinkingEvent
  | ToolCalledEvent
  | ToolReturnedEvent
  | ToolRuledEvent
  | TurnEndedEvent
  | NoticeEvent;

export interface StartedEvent {
  type: "started";
  agent: string;
  at: number;
  audience: RecordedAudience;
  continues?: string;
  door: string;
  /** The node that runs its agent, if the journal is shared by several. */
  host?: string;
  owner: string;
  settings: RecordedSettings;
}

export interface ClosedEvent {
  type: "closed";
  at: number;
  why: string;
}

export interface ContinuedEvent {
  type: "continued";
  at: number;
  to: string;
}

export interface HostedEvent {
  type: "hosted";
  epoch: number;
  node: string;
  process?: RecordedProcess;
}

export interface UnhostedEvent {
  type: "unhosted";
  epoch: number;
}

export interface SaidEvent {
  type: "said";
  about?: string;
  at: number;
  by?: RecordedWho;
  /** The id that the client gave it. */
  clientId?: string;
  message: string;
  text: string;
}

export interface UnsaidEvent {
  type: "unsaid";
  message: string;
}

export interface ConfiguredEvent {
  type: "configured";
  settings: RecordedSettings;
}

export interface InterruptedEvent {
  type: "interrupted";
  at: number;
  by?: RecordedWho;
}

export interface AskedEvent {
  type: "asked";
  ask: RecordedAsk;
}

export interface ProposedEvent {
  type: "proposed";
  answer: RecordedAnswer;
  ask: string;
  by: RecordedWho;
  until: number;
}

export interface UndoneEvent {
  type: "undone";
  ask: string;
  by: RecordedWho;
}

export interface ExtendedEvent {
  type: "extended";
  ask: string;
  by: RecordedWho;
  deadline?: number;
}

export interface VotedEvent {
  type: "voted";
  answer: RecordedAnswer;
  ask: string;
  by: RecordedWho;
}

export interface SettledEvent {
  type: "settled";
  ask: string;
  at: number;
  outcome: RecordedOutcome;
  verdict: RecordedVerdict;
}

export interface WithdrawnEvent {
  type: "withdrawn";
  ask: string;
  at: number;
  why: string;
}

export interface OvertakenEvent {
  type: "overtaken";
  ask: string;
  at: number;
  mouth: string;
  /** The input that the call ran with, where that is not what was allowed. */
  ran?: unknown;
}

export interface ParkedEvent {
  type: "parked";
  ask: string;
}

export interface StrandedEvent {
  type: "stranded";
  ask: string;
}

export interface LateAnsweredEvent {
  type: "late_answered";
  answer: RecordedAnswer;
  ask: string;
  at: number;
  by: RecordedWho;
}

export interface OverruleUsedEvent {
  type: "overrule_used";
  ask: string;
  at: number;
  /** The call that runs by it. */
  call: string;
}

export interface HandedEvent {
  type: "handed";
  attempt: number;
  parcel: RecordedParcel;
}

export interface DeliveredEvent {
  type: "delivered";
  at: number;
  parcel: RecordedParcel;
  proof: string;
}

export interface TextEvent {
  type: "text";
  block: number;
  text: string;
}

export interface ThinkingEvent {
  type: "thinking";
  block: number;
  text: string;
}

export interface ToolCalledEvent {
  type: "tool_called";
  ask?: string;
  call: string;
  /** JSON that came from outside, as it was. */
  input: unknown;
  name: string;
  /** The call in which a subagent made this one. */
  within?: string;
}

export interface ToolReturnedEvent {
  type: "tool_returned";
  call: string;
  ok: boolean;
  output: string;
}

/** A rule decided about a call without a person (`allow`, `deny`), or sent it to one (`ask`). */
export interface ToolRuledEvent {
  type: "tool_ruled";
  call: string;
  /** The file that the rule is in, if it is in one. */
  file?: string;
  /** The line in that file. */
  line?: number;
  /** The rule's name, or as the settings spell it: `other_tools = allow`. */
  rule: string;
  ruling: RecordedToolRuling;
  tool: string;
}

export interface TurnEndedEvent {
  type: "turn_ended";
  reason: string;
  /** JSON that came from outside, as it was. */
  usage?: unknown;
}

export interface NoticeEvent {
  type: "notice";
  level: RecordedLevel;
  text: string;
}

/** What a form's field takes. */
export type FieldType = "text" | "number" | "integer" | "flag" | "one_of" | "many_of";

export type FieldValue = string | number | boolean | string[];

export interface Folder {
  /** It has a repository of its own. */
  is_project: boolean;
  name: string;
  path: string;
}

/** A folder and the folders in it, or the roots. */
export interface Folders {
  /** The folder that was looked at, as it really is. `null`: these are the roots. */
  folder: string | null;
  /** What `~` means. `null`: agents may not work there. */
  home: string | null;
  /** In the order of their names, at most 200. Links and hidden folders are left out. */
  items: Folder[];
  /** There are more than are shown. */
  more: boolean;
  /** The folder above. `null`: agents may not work there. */
  parent: string | null;
}

/** How a node is declared gone. */
export interface ForgetNode {
  /** Although it is up: the agents that it runs are ended. */
  even_if_up?: boolean;
}

/** How much was forgotten. */
export interface Forgotten {
  /** Of what was written down. The disk gets its room back a little later. */
  bytes: number;
  entries: number;
  /** More than one, if the conversation had grown so long that it went on as other sessions. */
  sessions: number;
}

/** Fields to fill in, or a page to visit. */
export interface Form {
  fields: FormField[];
  message: string;
  url?: string;
}

/** A field of a form. */
export interface FormField {
  description?: string;
  name: string;
  options?: string[];
  required: boolean;
  title?: string;
  type: FieldType;
}

/** What is in gobby's rule files, and what of it acts here. */
export interface GobbyFiles {
  /** Rules, triggers and steps that can act. */
  active: number;
  /** Those that are switched off in their file. */
  disabled: number;
  files: number;
  /** What is wrong, inactive or without effect. */
  findings: GobbyFinding[];
  /** Those that need gobby's daemon. */
  inactive: number;
  /** Findings that are left out. */
  more_findings?: number;
  /** Those with nothing in them that acts here. */
  without_effect: number;
  /** Those that are wrong. */
  wrong: number;
}

/** A remark about a file of gobby's rules. */
export interface GobbyFinding {
  file: string;
  /** `error`, `inactive` or `without_effect`. */
  kind: string;
  line?: number;
  rule?: string;
  what: string;
}

/** The rules of one project. */
export interface GobbyProject {
  /** Rules, triggers and steps that can act. */
  active: number;
  /** Those that are switched off in their file. */
  disabled: number;
  files: number;
  /** What is wrong, inactive or without effect. */
  findings: GobbyFinding[];
  /** The folder that `.gobby` is in. */
  folder: string;
  /** Those that need gobby's daemon. */
  inactive: number;
  /** Findings that are left out. */
  more_findings?: number;
  /** The operator trusts the folder, so that its rules may allow and change calls. */
  trusted: boolean;
  /** Those with nothing in them that acts here. */
  without_effect: number;
  /** Those that are wrong. */
  wrong: number;
}

/** gobby's rule files. */
export interface GobbyRules {
  /** The folder that `gobby_rules` names; `null` if it names none. */
  folder: string | null;
  /** Why the folder as it is now is not in force, or not all of it. */
  problem?: string;
  /** The rules of projects that were read lately, below `.gobby`. */
  projects: GobbyProject[];
  rules?: GobbyFiles;
  /** When it was read. */
  since: Time | null;
  /** It has rules that allow or change calls, and no person has agreed to them yet: a paired device shows a tap. */
  waits_for_tap: boolean;
}

/** How the server is. */
export type Health =
  | OkHealth
  | StoppingHealth;

export interface OkHealth {
  status: "ok";
  /** The release that runs. */
  version: string;
}

export interface StoppingHealth {
  status: "stopping";
}

/** The node that runs the agent, where several share the journal. */
export interface Host {
  id: string;
  /** The name by which people know it. */
  name: string;
  /** Since when it is down, by its own clock. */
  since?: Time;
  /** `down`: it delivers what was decided when it is up again. `gone`: it was declared gone, and its agents do not come back. */
  state: HostState;
}

export type HostState = "up" | "down" | "gone";

/** A turn that is being stopped. */
export interface Interrupted {
  session: string;
}

/** An answer that came after the agent had been told something else. It goes to the agent as a message. */
export interface Late {
  answers: Answers;
  at: Time;
  by: By;
  notes: Record<string, string>;
}

/** A hook on another machine that leaves before it was answered. */
export interface LeavingHook {
  /** Its agent has ended. Otherwise its agent ended it: the dialog was answered, or the call cancelled. */
  agent_ended?: boolean;
  /** The name that it gave itself in `askbridge-hook-id`. */
  hook: string;
}

/** Who you are here. */
export interface Me {
  /** What you hold in your hand: `phone`, `terminal`. */
  device: string;
  name: string;
  role: Role;
}

/** What a message does while an ask is open. */
export type Messages = "hold" | "cancel_turn" | "refuse" | "pass_on";

/** The body of an answer: `answers` for questions, `decision` for everything else. */
export interface NewAnswer {
  /** With `allow`: the index of the offered rule to remember. */
  always?: number;
  /** `{question text: label | [labels] | free text}`; `{"options": [0, 2], "text": "…"}` names options by index. */
  answers?: Record<string, AnswerGiven>;
  /** With `accept`: field names and values. */
  content?: Record<string, FieldValue>;
  /** `allow`, `deny`, `approve`, `send_back`, `accept` or `decline`. */
  decision?: DecisionWord;
  /** With `allow`: the input to run instead. */
  input?: unknown;
  /** `{question text: note}`. */
  notes?: Record<string, string>;
  /** With `approve`: the changed plan. */
  plan?: string;
  /** With `deny`: end the agent's turn as well. */
  stop?: boolean;
  /** How many seconds the answer can be taken back before it counts, 0 to 60. The ask's own undo time counts if it is longer. */
  undo_seconds?: number;
  /** With `deny`, `send_back` or `decline`: why. */
  words?: string;
}

/** May this tool run with this input? */
export interface NewApproval {
  input?: unknown;
  reason?: string;
  /** What "always" could mean, for the person to choose from. */
  rules?: NewRule[];
  summary?: string;
  tool: string;
}

/** Something to be asked: exactly one of `questions`, `question`, `approval`, `plan` and `form`. Other spellings that agents use are understood as well; these are the ones to write. */
export interface NewAsk {
  /** Who asks, for people to read. Without it: the token's name. */
  agent?: string;
  approval?: NewApproval;
  /** What the agent calls the tool call that asks. */
  call?: string;
  context?: NewContext;
  form?: NewForm;
  /** What the agent is told when nobody comes in time. Nothing is ever allowed on expiry. */
  on_expiry?: NewOnExpiry;
  /** A plan to approve, as Markdown. */
  plan?: string;
  /** One question alone, as text. */
  question?: string;
  questions?: NewQuestion[];
  /** How many people have to agree. */
  quorum?: number;
  /** The session that it belongs to. Without one it gets a session of its own. */
  session?: string;
  /** How long it waits. Without it: for ever. */
  timeout_seconds?: number;
  /** How long an answer can be taken back before it counts. */
  undo_seconds?: number;
}

/** What a person says about it. */
export interface NewAway {
  mode: AwayMode;
}

/** A channel to be added. */
export type NewChannel =
  | NtfyNewChannel
  | TelegramNewChannel
  | SlackNewChannel
  | WebhookNewChannel
  | CommandNewChannel
  | WebPushNewChannel;

/** What every NewChannel has. */
export interface NewChannelCommon {
  /** Whether notices show the question itself. Without it, as is safe for the service. */
  content?: Content;
  /** What may be decided from a notice. Without it, as is safe for the service. */
  decides?: Decides;
  /** What you call it: 1 to 64 characters. */
  name?: string;
  /** Whom it reaches; without it, the caller. */
  person?: string;
  /** Times of day at which only urgent asks ring, like `22:00-07:00`. */
  quiet?: string;
  /** What it tells of besides asks. Without it: failed agents, expired asks, channels that stopped working. */
  tells?: NewsKind[];
}

export interface NtfyNewChannel extends NewChannelCommon {
  kind: "ntfy";
  server: string;
  token?: string;
  topic: string;
}

export interface TelegramNewChannel extends NewChannelCommon {
  kind: "telegram";
  api?: string;
  bot_token: string;
}

export interface SlackNewChannel extends NewChannelCommon {
  kind: "slack";
  api?: string;
  app_token: string;
  bot_token: string;
}

export interface WebhookNewChannel extends NewChannelCommon {
  kind: "webhook";
  secret?: string;
  url: string;
}

export interface CommandNewChannel extends NewChannelCommon {
  kind: "command";
  args?: string[];
  program: string;
}

export interface WebPushNewChannel extends NewChannelCommon {
  kind: "web_push";
  actions_max?: number;
  endpoint: string;
  keys: BrowserKeys;
}

/** A code to be made. */
export interface NewCode {
  /** Who will hold the token, for people to read: 1 to 64 characters. */
  name: string;
}

/** A machine that wants to ask here. */
export interface NewConnection {
  /** What people read on its cards: 1 to 64 characters. */
  name: string;
  /** The SHA-256 of a token that the machine made itself, `ab_` and 64 random hexadecimal digits, in hexadecimal. The token counts once the tap is given. */
  token_sha256: string;
}

/** What a person needs to decide from a phone. */
export type NewContext = string | {
  branch?: string;
  folder?: string;
  text?: string;
  title?: string;
};

/** How much longer to wait than was said before. */
export interface NewDeadline {
  /** Missing: wait for ever. */
  seconds?: number;
}

/** A link's secret, to become a device. */
export interface NewDevice {
  /** What the person calls this device. */
  device?: string;
  /** What stands behind `#pair=` in the link. */
  secret: string;
}

/** Another name for a device. */
export interface NewDeviceName {
  /** What you call it: 1 to 64 characters. */
  device: string;
}

/** Words on closing an ask. */
export interface NewDismissal {
  /** What the agent is told along with it. */
  words?: string;
}

/** Fields to fill in (`schema`), or a page to visit (`url`). */
export interface NewForm {
  message: string;
  /** A flat JSON schema: an object whose properties are texts, numbers, flags, or choices by `enum`. */
  schema?: Record<string, unknown>;
  url?: string;
}

/** Something to say to the agent. */
export interface NewMessage {
  /** The ask that this is about. */
  about?: string;
  text: string;
}

/** `"tell"`, `"stop"`, or `{"assume": {question: label}}`. */
export type NewOnExpiry = "tell" | "stop" | {
  assume: Record<string, OneOrSeveral>;
};

export type NewOption = string | {
  description?: string;
  label: string;
  /** What choosing it would look like: text, or a drawing in characters. */
  preview?: string;
};

/** A link or a token to be made for a person. */
export interface NewPairing {
  device?: string;
  /** A script vouches that a person runs it. */
  i_am_a_person?: boolean;
  /** The person; without it, the user of this machine. */
  name?: string;
  /** `operator` (the default), `person`, or `bot`: a program that answers under its own name. A bot has no device, only a token. */
  role?: "person" | "operator" | "bot";
  /** Make the token itself, not a link. */
  token?: boolean;
}

/** The option whose preview is wanted. */
export interface NewPreview {
  /** Its option, counted from 0. */
  option: number;
  /** The question, counted from 0. */
  question: number;
}

/** A question: its text alone, or with options. Without options the answer is free text. */
export type NewQuestion = string | {
  /** A word or two above the question. */
  header?: string;
  /** May several be chosen? */
  multiSelect?: boolean;
  options?: NewOption[];
  question: string;
};

/** A decision to be remembered. */
export interface NewRemembered {
  /** An ask: open or over. */
  ask: string;
  /** What the rule says. `allow`: the call is allowed. `as_before`: what people decided about the same ask several times in a row, as `GET /v1/asks/{id}/rule` offers it. */
  do?: "allow" | "as_before";
  /** Only show the rule; nothing is stored. */
  dry_run?: boolean;
  /** Where it counts: in the ask's session, in the session's folder and below it, or everywhere. */
  for?: "session" | "project" | "everywhere";
  /** It holds for good, until it is revoked; without `until`. */
  for_good?: boolean;
  /** The id of the rule that was shown. If it would be another by now, nothing is stored. */
  id?: string;
  /** Until when, within 366 days; 30 days if it is missing. Like `2026-12-31T18:00:00Z`. */
  until?: string;
}

export interface NewRule {
  label: string;
  rule: unknown;
}

/** A session to be started. Everything may be left out. */
export interface NewSession {
  /** `claude`: one that we run. Anything else names a program that asks by itself, for people to read. Without it: the token's name. */
  agent?: string;
  allowed_tools?: string[];
  /** Tools that always go to a person, whatever the mode allows: `Bash`, `mcp__github__*`, `Bash(*git push*)`. Beside those that the server names. */
  always_ask?: string[];
  append_system_prompt?: string;
  branch?: string;
  /** Another name for `folder`. */
  cwd?: string;
  disallowed_tools?: string[];
  /** The folder in which it works. */
  folder?: string;
  /** How long the process is kept for an open permission, then it is denied in words. `"off"`: as long as it takes. */
  hold_max_seconds?: unknown;
  /** The node that runs it, where several share the journal: its name, its id, or a label that it has. Missing: the node that may work in the folder. */
  host?: string;
  /** `false`: no person will be there. As `unattended: "hide"`, unless `unattended` says otherwise. */
  interactive?: boolean;
  max_turns?: number;
  mcp_servers?: Record<string, unknown>;
  /** What a message does while an ask is open: `hold`, `cancel_turn`, `refuse` or `pass_on`. */
  messages?: Messages;
  model?: string;
  /** What happens when another tool needs a permission: `ask` (the default) or `allow`. */
  other_tools?: string;
  /** May several asks be open at once? */
  parallel?: boolean;
  permission_mode?: string;
  setting_sources?: string[];
  system_prompt?: string;
  /** How long asks of this session wait, unless they say otherwise. Missing: for ever. */
  timeout_seconds?: number;
  title?: string;
  /** No person will be there, and what becomes of the agent's questions and permissions where no rule decides: `hide` (it gets no tool to ask), `deny` (in words), `park` (they wait for a person, without the process), or `answer` (questions get the recommended option, or else the first; everything else is denied in words). */
  unattended?: "hide" | "deny" | "park" | "answer";
  /** How long an answer can be taken back before it counts. */
  undo_seconds?: number;
  /** How long the process is kept for an open question. `0`: not at all; `"off"`: as long as it takes. */
  warm_seconds?: unknown;
  /** The step workflow of gobby's that it starts with: of the operator's folder of rules, or of the project's own. */
  workflow?: string;
}

/** For how long not to show an ask. */
export interface NewSnooze {
  /** Missing: show it again. */
  seconds?: number;
}

/** Whether taps are to be needed. */
export interface NewTaps {
  on: boolean;
}

/** An agent's token to be made. */
export interface NewToken {
  /** Who holds it, for people to read: 1 to 64 characters. */
  name: string;
  /** No person attends what asks with it: where no rule decides, its asks are settled without one. */
  unattended?: "deny" | "answer";
}

/** Why an ask is withdrawn. */
export interface NewWithdrawal {
  /** People read it. */
  why?: string;
}

/** What a notice is about, if not an ask. Each channel says which of them it tells. */
export type NewsKind = "turn_ended" | "agent_failed" | "expired" | "channel_failed" | "down" | "digest";

/** A node. */
export interface Node {
  /** Where people and other nodes reach it. */
  address?: string;
  /** How many agents run there. */
  agents: number;
  /** How many may. */
  agents_max: number;
  /** By how much its clock is ahead of the servers', in milliseconds. */
  clock_ahead_ms?: number;
  connections: number;
  id: string;
  labels?: string[];
  /** How many entries of the journal its index has not applied yet. */
  lag: number;
  name: string;
  /** Folders in which its agents may work. */
  roots?: string[];
  /** Since when it is down, by its own clock. */
  since?: string;
  started_at: string;
  state: NodeState;
  version: string;
}

/** What became of a node's sessions. */
export interface NodeForgotten {
  /** Asks of those agents. They stay answerable; an answer becomes a message. */
  asks: number;
  node: string;
  /** Sessions whose agents it ran. No node runs them from now on. */
  sessions: number;
}

export type NodeState = "up" | "down";

/** What "always" could mean. */
export interface OfferedRule {
  label: string;
  rule: unknown;
}

/** The rule that is offered about an ask. */
export interface OfferedRuleOfAsk {
  /** `null`: none is offered. */
  offer: RuleOffer | null;
}

export type OneOrSeveral = string | string[];

/** A device of yours. */
export interface OwnDevice {
  /** The one that asks. */
  current: boolean;
  device: string;
  /** For sending it away; not a secret. */
  id: string;
  /** A machine that you connected: its agents ask here, and it never decides. `device` is its name. */
  is_machine?: boolean;
  /** When it last called; up to a minute before a kill of the server may be missing. */
  last_used_at?: Time;
  paired_at: Time;
  role: TokenRole;
}

/** One page of a list. */
export interface OwnDevicePage {
  items: OwnDevice[];
  /** `null`: this was the last page. */
  next: string | null;
}

/** What was made for a person: a link's secret, or the token itself. */
export type Pairing = {
  name: string;
  /** What the link begins with, before `/#pair=`, if the server was told; otherwise it is the server's own address. */
  public_url: string | null;
  secret: string;
} | {
  id: string;
  name: string;
  token: string;
};

/** A run without a terminal that waits for an answer without a process. */
export interface ParkedRunNow {
  /** The ask that it waits for. */
  ask: string;
  /** What the agent calls the conversation. */
  conversation: string;
  /** The flags that shape how it goes on. Never its prompt. */
  flags: string[];
  /** The folder that it runs in. */
  folder: string | null;
  /** One line that says what it asks. */
  headline: string;
  /** Can it go on? */
  is_answered: boolean;
  /** The program of the agent; `null`: `claude` on PATH. */
  program: string | null;
}

/** One page of a list. */
export interface ParkedRunNowPage {
  items: ParkedRunNow[];
  /** `null`: this was the last page. */
  next: string | null;
}

/** Where a preview can be looked at. */
export interface Preview {
  /** For a frame. Works without a token, for an hour. */
  address: string;
}

/** A problem as the wire shows it (RFC 9457, with our own members). */
export interface Problem {
  /** Never changes for the same cause; programs may rely on it. */
  code: ErrorCode;
  detail: string;
  /** One for each question that is wrong. */
  errors?: ProblemPart[];
  /** Does it make sense to try the same again later? */
  retry: boolean;
  /** On HTTP also the header `Retry-After`; a socket has no headers. */
  retry_after_seconds?: number;
  status: number;
  /** The code that a device shows with the tap, for the machine that wants to be connected. */
  tap_code?: string;
  title: string;
  /** The page about the code, on the server that sent it. */
  type: string;
  /** Who decided first, and when. */
  winner?: Winner;
}

/** What is wrong with one question's answer. */
export interface ProblemPart {
  detail: string;
  question?: string;
}

/** The rules of one project, `.askbridge/rules.toml`. */
export interface ProjectRules {
  file: string;
  /** What is wrong with the file as it is now: what cannot be read, where the last good version stays in force; or rules that loosen, which are left out. */
  problems: RuleProblem[];
  /** How many of its rules are in force. */
  rules: number;
  /** The operator trusts the folder, so that its rules may allow and answer. */
  trusted: boolean;
}

/** What goes. */
export interface Prune {
  /** What the step before gave as `next`. */
  after?: string;
  /** With `dry_run` and `larger_than_bytes`: what the steps before would have forgotten. */
  counted_bytes?: number;
  /** Count what would go; nothing does. */
  dry_run?: boolean;
  /** The oldest conversations, until the journal and its index take no more than so many bytes. Those in which something happened within a day stay. */
  larger_than_bytes?: number;
  /** Conversations in which nothing happened for so long. */
  older_than_seconds?: number;
}

/** What one step did. */
export interface PrunedJson {
  /** Of what was written down. The disk gets its room back a little later. */
  bytes: number;
  entries: number;
  /** The `after` of the next step. `null`: this was all. */
  next: string | null;
  /** More than one, if the conversation had grown so long that it went on as other sessions. */
  sessions: number;
  /** Conversations that would be old enough, but in which something is unfinished. */
  unfinished: number;
}

/** A question, as everyone sees it. */
export interface Question {
  header?: string;
  multiSelect: boolean;
  options: Choice[];
  question: string;
  secret?: boolean;
}

/** A message that waits for the agent. */
export interface QueuedMessage {
  id: string;
  text: string;
}

/** How many people have to say the same, and who has said something so far. */
export interface Quorum {
  /** How many of them say the same: the largest number. */
  agree: number;
  /** Those who answered, each with their last answer. Empty once it is settled. */
  answered: By[];
  needed: number;
}

/** Whether we can do our work. */
export type Readiness =
  | ReadyReadiness
  | NotReadyReadiness;

export interface ReadyReadiness {
  status: "ready";
}

export interface NotReadyReadiness {
  status: "not_ready";
  reasons: string[];
}

/** Flat, because serde reads tagged enums through a buffer in which embedded JSON does not survive. */
export interface RecordedAnswer {
  /** Allowed for always: the index of the rule to remember. */
  always?: number;
  decision?: RecordedDecision;
  /** Allowed with this input instead. */
  input?: unknown;
  kind: RecordedKind;
  picks?: RecordedPick[];
  stop?: boolean;
  /** Approved with this text instead. */
  text?: string;
  values?: RecordedValue[];
  words?: string;
}

export interface RecordedApproval {
  /** JSON that came from outside, as it was. */
  input: unknown;
  /** The agent denied the call by itself already; an allow overrules that, once. */
  overrule?: boolean;
  reason?: string;
  rules?: RecordedOfferedRule[];
  summary?: string;
  tool: string;
}

export interface RecordedAsk {
  agent: string;
  approval?: RecordedApproval;
  at: number;
  call?: string;
  context?: RecordedContext;
  door: string;
  form?: RecordedForm;
  id: string;
  instead_of?: string;
  key?: string;
  kind: RecordedKind;
  /** The name of the machine that it came from, if that is not the server's own. */
  machine?: string;
  /** JSON that came from outside, as it was. */
  original?: unknown;
  party: string;
  plan?: RecordedPlan;
  questions?: RecordedQuestion[];
  reach: RecordedReach;
  /** A digest of the terms that the request stated, beside a key. */
  stated?: number;
  terms?: RecordedTerms;
}

/** `"everyone"` or `{"only":[…]}`. */
export type RecordedAudience = "everyone" | {
  only: string[];
};

export interface RecordedChoice {
  description?: string;
  label: string;
  preview?: string;
}

export interface RecordedContext {
  branch?: string;
  folder?: string;
  /** JSON that came from outside, as it was. */
  more?: unknown;
  text?: string;
  title?: string;
}

export type RecordedDecision = "allow" | "deny" | "approve" | "send_back" | "accept" | "decline";

export type RecordedEnding = "answered" | "dismissed" | "expired" | "ruled";

export interface RecordedField {
  description?: string;
  kind: RecordedFieldKind;
  name: string;
  /** Of the kinds `one_of` and `many_of`. */
  options?: string[];
  required?: boolean;
  title?: string;
}

export type RecordedFieldKind = "text" | "number" | "integer" | "flag" | "one_of" | "many_of";

export type RecordedForever = "forever";

export interface RecordedForm {
  fields: RecordedField[];
  message: string;
  /** JSON that came from outside, as it was. */
  schema?: unknown;
  url?: string;
}

export type RecordedHold = "hold";

export type RecordedKind = "questions" | "approval" | "plan" | "form";

export type RecordedLevel = "info" | "warning" | "error";

export interface RecordedOfferedRule {
  label: string;
  /** JSON that came from outside, as it was. */
  rule: unknown;
}

export type RecordedOnDismissal = "tell" | "tell_and_stop";

/** `"tell"`, `"tell_and_stop"` or `{"assume":[…]}`. */
export type RecordedOnExpiry = "tell" | "tell_and_stop" | {
  assume: RecordedPick[];
};

export type RecordedOtherTools = "allow" | "by_mode" | "ask";

export interface RecordedOutcome {
  /** Left out if a rule refused a question. */
  answer?: RecordedAnswer;
  by?: RecordedWho;
  /** Where the rule is written: a file, and with it a line. */
  file?: string;
  line?: number;
  rule?: string;
  type: RecordedEnding;
  words?: string;
}

/** `{"verdict":"ask_…"}` or `{"message":"msg_…"}`. */
export type RecordedParcel = {
  verdict: string;
} | {
  message: string;
};

export interface RecordedPick {
  chosen: number[];
  note?: string;
  text?: string;
}

export interface RecordedPlan {
  text: string;
}

export interface RecordedProcess {
  pid: number;
  started: number;
}

export interface RecordedQuestion {
  header?: string;
  multiSelect: boolean;
  options: RecordedChoice[];
  question: string;
  secret?: boolean;
}

export type RecordedReach = "resumable" | "pull" | "held";

export type RecordedRuling = "answer" | "assume" | "deny" | "deny_and_stop";

export interface RecordedSettings {
  branch?: string;
  folder?: string;
  mode?: string;
  model?: string;
  /** JSON that came from outside, as it was. */
  more?: unknown;
  title?: string;
  wishes?: RecordedWishes;
}

/** What differs from the plain terms: no deadline, `tell` whatever happens, a warm time of ten minutes, no time to undo, messages are held, asks may be parallel, other tools are asked about, and one person decides. */
export interface RecordedTerms {
  deadline?: number;
  messages?: RecordedWhileOpen;
  on_dismissal?: RecordedOnDismissal;
  on_expiry?: RecordedOnExpiry;
  other_tools?: RecordedOtherTools;
  parallel?: boolean;
  quorum?: number;
  undo_ms?: number;
  warm?: RecordedWarm;
}

export type RecordedToolRuling = "allow" | "ask" | "deny";

/** A field's name and exactly one of the others. */
export interface RecordedValue {
  flag?: boolean;
  many?: string[];
  name: string;
  /** As it was written. */
  number?: string;
  text?: string;
}

export interface RecordedVerdict {
  /** Left out where the ruling is `answer` and the outcome has it already. */
  answer?: RecordedAnswer;
  ruling: RecordedRuling;
  /** Beside the answer, or instead of one. */
  words?: string;
}

/** `"forever"` or milliseconds. */
export type RecordedWait = RecordedForever | number;

/** `"hold"` or milliseconds. */
export type RecordedWarm = RecordedHold | number;

export type RecordedWhileOpen = "hold" | "cancel_turn" | "refuse" | "pass_on";

export interface RecordedWho {
  device: string;
  person: string;
  via: string;
}

export interface RecordedWishes {
  messages?: RecordedWhileOpen;
  on_dismissal?: RecordedOnDismissal;
  on_expiry?: RecordedOnExpiry;
  other_tools?: RecordedOtherTools;
  parallel?: boolean;
  quorum?: number;
  undo_ms?: number;
  wait?: RecordedWait;
  warm?: RecordedWarm;
}

/** A decision that is remembered as a rule. */
export interface Remembered {
  /** One line of what it is about: a command, a file, a question. Empty for those of earlier releases. */
  about: string;
  /** The ask that it was made of. */
  ask: string;
  device: string;
  /** `allow`, `deny` or `answer`. */
  do: string;
  /** The file in which people can read the rule; `null` if the server writes none. */
  file: string | null;
  /** `session`, `project` or `everywhere`. */
  for: string;
  id: string;
  last_used_at: Time | null;
  made_at: Time;
  person: string;
  /** The rule that it became, as a rule file has it: for exactly this call, or these questions. */
  rule: string;
  /** The tool of an approval; empty for questions. */
  tool: string;
  /** `null`: for good. */
  until: Time | null;
  /** How often it has decided. */
  uses: number;
}

/** One page of a list. */
export interface RememberedPage {
  items: Remembered[];
  /** `null`: this was the last page. */
  next: string | null;
}

/** One ring, and what became of it. */
export interface Ring {
  /** What it was about, if not asks: `turn_ended`, `agent_failed`, `expired`, `channel_failed`, `digest`, or `test`. */
  about?: string;
  /** The asks that it was about, the first 20 of them. Left out on an ask itself. */
  asks?: string[];
  /** When it came to this state. */
  at: Time;
  /** What the channel is called. */
  channel: string;
  /** When the device showed it, where it says so. */
  delivered_at?: Time;
  /** The service behind it: `ntfy`, `telegram`. */
  kind: string;
  /** How many more it was about. */
  more?: number;
  person: string;
  /** When the service last took a message. */
  rang_at?: Time;
  /** When the person tapped it, or opened the card after it rang. */
  seen_at?: Time;
  state: RingState;
  /** How often it has rung here, this time included. */
  times: number;
  /** Why it did not ring, or what became of the ask. */
  why?: string;
}

/** One page of a list. */
export interface RingPage {
  items: Ring[];
  /** `null`: this was the last page. */
  next: string | null;
}

/** What became of a ring. */
export type RingState = "suppressed" | "sending" | "failed" | "sent" | "delivered" | "seen" | "answered" | "closed";

/** What a token, or the local socket, entitles to. */
export type Role = "agent" | "person" | "operator" | "local" | "terminal" | "unproven" | "bot";

/** A rule that says what people decided several times in a row. */
export interface RuleOffer {
  /** What was chosen, for questions: the labels. */
  chosen?: string;
  /** The rule as it would be. */
  rule: Remembered;
  /** How often in a row. */
  times: number;
}

/** Something that is wrong with a rule file. */
export interface RuleProblem {
  column: number;
  hint?: string;
  line: number;
  what: string;
}

/** The rules in force. */
export interface Rules {
  /** The rule file; `null` if there is none. */
  file: string | null;
  /** gobby's rule files, by which sessions are driven; `null` if none are in force. */
  gobby: GobbyRules | null;
  /** What is wrong with the file as it is now. If there is something, the rules in force are those that it had before. */
  problems: RuleProblem[];
  /** The rule files of projects that were read for an ask lately. */
  projects: ProjectRules[];
  /** How many rules are in force, those of the settings included. */
  rules: number;
  /** When the file was read; `null` if rules were never read. */
  since: Time | null;
  /** The file has rules that allow or answer, and no person has agreed to them yet: a paired device shows a tap. */
  waits_for_tap: boolean;
}

/** What the agent is told. */
export type Ruling = "answer" | "assume" | "deny" | "deny_and_stop";

/** What a client is sent. */
export type ServerFrame =
  | WelcomeServerFrame
  | SnapshotServerFrame
  | DeltaServerFrame
  | DraftServerFrame
  | SnoozeServerFrame
  | DevicesServerFrame
  | ChannelsServerFrame
  | GoneServerFrame
  | ReplyServerFrame
  | RefusedServerFrame
  | PingServerFrame
  | PongServerFrame
  | LaggedServerFrame
  | EventServerFrame;

/** After hello: who you turned out to be. */
export interface WelcomeServerFrame {
  type: "welcome";
  heartbeat_seconds: number;
  name: string;
  /** Milliseconds since 1970 by our clock, by which deadlines are kept. */
  now: number;
  protocol: number;
  role: string;
}

/** Everything that is open. Replaces what a client shows. */
export interface SnapshotServerFrame {
  type: "snapshot";
  /** The longest waiting first. Those that carry `truncated` are shortened. */
  asks: Ask[];
  cursor: string;
  /** What does not fit here follows in frames of its own. */
  drafts: Draft[];
  /** More is open than one frame holds: `GET /v1/asks?order=longest_waiting` leads to the rest, page by page. */
  more: boolean;
}

/** Streaming text: `text` goes on `offset` bytes from the beginning of the block. What is stored later completes it. */
export interface DeltaServerFrame {
  type: "delta";
  block: number;
  kind: BlockKind;
  offset: number;
  session: string;
  text: string;
}

/** You wrote a draft, here or on another device. */
export interface DraftServerFrame {
  type: "draft";
  ask: string;
  draft: unknown;
}

/** You hid an ask until then, here or on another device. `null`: it is shown again. */
export interface SnoozeServerFrame {
  type: "snooze";
  ask: string;
  until: Time | null;
}

/** A device of yours came, went, or has another name. */
export interface DevicesServerFrame {
  type: "devices";
}

/** A way in which you are reached came, went, was changed, or works no longer or again. */
export interface ChannelsServerFrame {
  type: "channels";
}

/** These sessions were forgotten, for good: take them out of your lists. */
export interface GoneServerFrame {
  type: "gone";
  sessions: string[];
}

/** The ruling on a frame of yours: granted. */
export interface ReplyServerFrame {
  ok: true;
  type: "reply";
  ask?: Ask;
  /** The answer goes to the agent as a message. */
  late?: boolean;
  message?: string;
  /** `false`: it was so already. */
  news: boolean;
  session?: string;
  tag: number;
}

/** The ruling on a frame of yours: refused. */
export interface RefusedServerFrame {
  ok: false;
  type: "reply";
  error: Problem;
  /** `null`: the frame had none, or none that could be read. */
  tag: number | null;
}

/** We are still there. */
export interface PingServerFrame {
  type: "ping";
  /** Milliseconds since 1970 by our clock. */
  now: number;
}

/** You pinged. */
export interface PongServerFrame {
  type: "pong";
  tag?: number;
}

/** Too slow: connect again with the last cursor. */
export interface LaggedServerFrame {
  type: "lagged";
}

/** Something happened that you may see. Written around the record by `tell::event_frame`, which this mirrors. */
export interface EventServerFrame {
  type: "event";
  /** Milliseconds since 1970. */
  at: number;
  /** Where to come back to. Only on the last of what happened together. */
  cursor?: string;
  event: Event;
  session: string;
}

/** A conversation with an agent. */
export interface Session {
  agent: string;
  branch: string | null;
  continued_as?: string;
  /** Where to follow from, to miss nothing that this view does not show. */
  cursor?: string;
  door: string;
  folder: string | null;
  /** The node that runs it. Left out unless several share the journal. */
  host?: Host;
  id: string;
  last_activity: Time;
  model: string | null;
  open_ask_ids: string[];
  permission_mode: string | null;
  /** `running`, `parked`, `asleep` or `none`. */
  process: string;
  queued_messages: QueuedMessage[];
  started_at: Time;
  /** `active`, `closed` or `continued`. */
  state: SessionState;
  title: string | null;
  waiting_for_person: boolean;
  /** Its place in the line for a free process, if it waits for one. */
  waits_for_process?: number;
  /** Where it is in its step workflow, if gobby's rules hold in it and one is active. */
  workflow?: WorkflowStep;
}

/** What can be changed about a session while it goes on. What is left out stays as it is. */
export interface SessionChanges {
  branch?: string;
  model?: string;
  permission_mode?: string;
  title?: string;
}

/** A conversation in a list. */
export interface SessionListed {
  agent: string;
  branch: string | null;
  door: string;
  folder: string | null;
  /** What was asked last in it. `null`: nothing yet. */
  headline: string | null;
  /** The node that runs its agent. Left out unless several share the journal. */
  host?: Host;
  id: string;
  last_activity: Time;
  open_asks: number;
  /** One thing was asked in it, and nothing more. */
  single_ask: boolean;
  started_at: Time;
  state: SessionState;
  title: string | null;
  waiting_for_person: boolean;
}

/** One page of a list. */
export interface SessionListedPage {
  items: SessionListed[];
  /** `null`: this was the last page. */
  next: string | null;
}

/** How a session stands. */
export type SessionState = "active" | "closed" | "continued";

/** The step workflow of a session. */
export interface SessionWorkflow {
  session: string;
  /** The variables of gobby's rules in this session, while a workflow is active. */
  variables: Record<string, unknown>;
  /** `null` if none is active. */
  workflow: WorkflowStep | null;
}

/** An ask that its person does not want to see for a while. */
export interface Snooze {
  ask: string;
  /** `null`: it is shown. */
  until: Time | null;
}

/** One page of a list. */
export interface SnoozePage {
  items: Snooze[];
  /** `null`: this was the last page. */
  next: string | null;
}

/** A step workflow to start. */
export interface StartWorkflow {
  /** Its name, as its file gives it; of an agent's definition, the agent's name. */
  name: string;
  /** Values for its variables. */
  variables?: Record<string, unknown>;
}

/** A message that was taken. */
export interface TakenMessage {
  id: string | null;
  session: string;
}

/** How taps stand. */
export interface Taps {
  /** Are they needed: switched on, and a device of a person was paired at some time? */
  needed: boolean;
  /** Are they switched on? */
  on: boolean;
}

/** What a ticket did. */
export interface TicketUsed {
  /** What the notification was about, if an ask. */
  ask?: string;
  /** How many asks wait for the person now, for the number on the app's icon. */
  waiting?: number;
}

/** A time, RFC 3339, UTC, with milliseconds: `2026-11-15T08:30:00.125Z`. */
export type Time = string;

/** Who holds a token. */
export interface Token {
  /** The person whose device connected this machine. Only of machines. */
  connected_by?: string;
  device: string;
  /** Names the token for revoking; not a secret. */
  id: string;
  /** When it was last used; up to a minute before a kill of the server may be missing. */
  last_used_at?: Time;
  made_at: Time;
  name: string;
  role: TokenRole;
  /** The token itself, shown once, when it is made. */
  token?: string;
}

/** One page of a list. */
export interface TokenPage {
  items: Token[];
  /** `null`: this was the last page. */
  next: string | null;
}

/** What a token may be good for. */
export type TokenRole = "agent" | "person" | "operator" | "bot" | "local";

/** How much of an ask is not shown in a list. */
export interface Truncated {
  /** Bytes of the whole ask as JSON. */
  bytes: number;
}

/** A ticket, from the button of a notification. */
export interface UsedTicket {
  /** A browser says under the receipt of a notification that it showed it. Without it, the person tapped it. */
  shown?: boolean;
  ticket: string;
}

/** What the agent is told. */
export interface Verdict {
  /** What to assume, where the ruling says so. */
  assume?: Answers;
  /** `answer`, `assume`, `deny` or `deny_and_stop`. */
  ruling: Ruling;
  words: string;
}

/** The key with which a page subscribes. */
export interface WebPushKey {
  /** For `pushManager.subscribe({applicationServerKey})`. */
  key: string;
}

/** Who decided first. */
export interface Winner {
  at: Time;
  /** `null`: nobody came in time. */
  by: By | null;
}

/** A step workflow of gobby's, and where a session is in it. */
export interface WorkflowStep {
  name: string;
  step: string;
  /** What the step asks a person, who writes yes or no. Until then every tool is blocked. */
  waits_for?: string;
}
