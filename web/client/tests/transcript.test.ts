import { expect, test } from "vitest";
import { append, blank, nothing, prepend, reduce, type Entry, type Event } from "../src/index.ts";

const entry = (position: number, ...events: Event[]): Entry => ({ position, at: position * 1000, events });

const entries: Entry[] = [
  entry(1, { type: "said", at: 1, message: "msg_1", text: "Tidy up", by: { person: "ada", device: "phone", via: "native" } }),
  entry(2, { type: "handed", attempt: 1, parcel: { message: "msg_1" } }),
  entry(3, { type: "text", block: 1, text: "I will look." }, { type: "tool_called", call: "c1", name: "Bash", input: { command: "ls" } }),
  entry(4, { type: "tool_ruled", call: "c1", tool: "Bash", rule: "tests run", file: "/home/ada/rules.toml", line: 7, ruling: "allow" }, { type: "said", at: 4, message: "msg_2", text: "And hurry", by: { person: "ada", device: "phone", via: "native" } }),
  entry(5, { type: "tool_returned", call: "c1", ok: true, output: "a\nb" }),
  entry(6, { type: "unsaid", message: "msg_2" }),
  entry(7, { type: "turn_ended", reason: "completed", usage: { total_cost_usd: 0.25, usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 7 } } }),
];

const kinds = (transcript: typeof blank) => transcript.items.map((item) => item.kind);

test("a conversation reads like one: results are with their calls, messages say what became of them", () => {
  const { items } = append(blank, entries);
  expect(items.map((item) => item.kind)).toEqual(["said", "text", "tool", "said", "turn_ended"]);
  expect(items[0]).toMatchObject({ kind: "said", by: "ada", state: "heard" });
  expect(items[2]).toMatchObject({ kind: "tool", name: "Bash", ruled: { rule: "tests run", place: "/home/ada/rules.toml:7", ruling: "allow" }, result: { ok: true, output: "a\nb" } });
  expect(items[3]).toMatchObject({ state: "withdrawn" });
  expect(items[4]).toMatchObject({ usage: { costUsd: 0.25, tokensIn: 100, tokensOut: 7 } });
});

test("in pages from the end it is the same as in one go", () => {
  const whole = append(blank, entries);
  for (const size of [1, 2, 3, 5]) {
    let paged = blank;
    for (let end = entries.length; end > 0; end -= size) paged = prepend(paged, entries.slice(Math.max(0, end - size), end));
    expect(paged.items).toEqual(whole.items);
    let grown = blank;
    for (let from = 0; from < entries.length; from += size) grown = append(grown, entries.slice(from, from + size));
    expect(grown.items).toEqual(whole.items);
  }
});

test("what is known is not added again", () => {
  const whole = append(blank, entries);
  expect(append(whole, entries.slice(3))).toBe(whole);
  expect(prepend(whole, entries)).toBe(whole);
});

test("an event that is not what its name says is shown as it is, and the rest goes on", () => {
  const broken = [
    entry(1, { type: "text", block: 1, text: 7 } as unknown as Event),
    entry(2, { type: "said" } as unknown as Event),
    entry(3, { type: "asked" } as unknown as Event, { type: "flew", far: true } as unknown as Event),
    entry(4, null as unknown as Event),
    entry(5, { type: "text", block: 2, text: "fine" }),
  ];
  expect(kinds(append(blank, broken))).toEqual(["unknown", "unknown", "unknown", "unknown", "unknown", "text"]);
});

test("streaming text grows by bytes, a lost piece stops it, and the stored text takes its place", () => {
  const delta = (block: number, offset: number, text: string) => ({ type: "frame", frame: { type: "delta", session: "s", block, kind: "text", offset, text } }) as const;
  const live = (state: typeof nothing) => state.conversations.get("s")?.live?.text;
  const watched = reduce(nothing, [{ type: "watch", session: "s" }]).state;
  // Three characters, nine bytes.
  const grown = reduce(watched, [delta(1, 0, "日本語"), delta(1, 9, " ok")]).state;
  expect(live(grown)).toBe("日本語 ok");
  const lossy = reduce(grown, [delta(1, 99, "lost before this")]).state;
  expect(live(lossy)).toBe("日本語 ok");
  const stored = reduce(lossy, [{ type: "after", session: "s", entries: [entry(1, { type: "text", block: 1, text: "日本語 ok, whole" })] }]).state;
  expect(live(stored)).toBeUndefined();
  const thought = { type: "frame", frame: { type: "delta", session: "s", block: 1, kind: "thinking", offset: 0, text: "hm" } } as const;
  expect(reduce(stored, [thought]).state.conversations.get("s")?.live?.kind).toBe("thinking");
  expect(reduce(stored, [delta(2, 5, "joined in the middle")]).state.conversations.get("s")?.live).toBeNull();
});

test("ten thousand events are one transcript, and one more joins them", () => {
  const many = Array.from({ length: 10_000 }, (_, n) => entry(n + 1, { type: "text", block: n, text: `line ${n}` }));
  const whole = append(blank, many);
  expect(whole.items.length).toBe(10_000);
  expect(append(whole, [entry(10_001, { type: "text", block: 10_001, text: "one more" })]).items.length).toBe(10_001);
});
