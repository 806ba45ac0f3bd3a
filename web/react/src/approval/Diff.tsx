/** A diff of a file, line by line: numbered, with changed words marked, and buttons to go from change to change. */

import { useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Tall } from "../card/Tall.tsx";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { End, useEnd } from "./ends.tsx";
import { counted, type Line } from "./lines.ts";
import { Painted } from "./Painted.tsx";
import type { Tongue } from "./paint.ts";
import { marksIn, type Mark } from "./within.ts";

/** Lines shown at first. Beyond: the rest is shown on request. */
const LINES_SHOWN = 400;

export interface DiffProps {
  readonly lines: readonly Line[];
  readonly tongue: Tongue;
}

export function Diff({ lines, tongue }: DiffProps) {
  const words = useWords();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [isWhole, setWhole] = useState(false);
  const [wraps, setWraps] = useState(true);
  const [reached, setReached] = useState(-1);
  const box = useRef<HTMLDivElement>(null);
  const isAll = isWhole || lines.length <= LINES_SHOWN;
  const more = useRef<HTMLButtonElement>(null);
  useEnd(more, { isCut: !isAll });
  const marks = useMemo(() => marksIn(lines), [lines]);
  const numbers = useMemo(() => numbersOf(lines), [lines]);
  const changed = useMemo(() => firstsOf(lines), [lines]);
  const firsts = useMemo(() => new Set(changed), [changed]);
  const { added, removed } = useMemo(() => counted(lines), [lines]);
  const shown = isAll ? lines : lines.slice(0, LINES_SHOWN);

  const show = (to: number) => {
    const line = box.current?.querySelector<HTMLElement>(`[data-line="${changed[to]}"]`);
    line?.scrollIntoView({ block: "center" });
    return line;
  };
  const next = () => {
    const to = (reached + 1) % changed.length;
    // Lines that were left out are rendered before they are scrolled to.
    flushSync(() => {
      setReached(to);
      setWhole(isAll || (changed[to] ?? 0) >= LINES_SHOWN);
    });
    show(to)?.focus({ preventScroll: true });
  };
  const wrap = () => {
    flushSync(() => setWraps(!wraps));
    if (reached >= 0) show(reached);
  };
  return (
    <div ref={box} className="ab-diff-box">
      <div className="ab-diff-bar">
        {changed.length > 1 && (
          <button type="button" className="ab-button" data-tone="quiet" onClick={next}>
            {words.nextChange} <span className="ab-diff-place">{words.changeOf(Math.max(0, reached) + 1, changed.length)}</span>
          </button>
        )}
        <button type="button" className="ab-button" data-tone="quiet" aria-pressed={wraps} onClick={wrap}>
          {words.wrapLines}
        </button>
      </div>
      <Tall as="div" beyond={isAll ? 0 : lines.length - LINES_SHOWN} className="ab-code ab-diff" data-wraps={wraps ? "" : undefined} role="group" aria-label={words.changes(added, removed)}>
        {shown.map((line, at) => {
          if (line.kind === "hunk" || line.kind === "head")
            return (
              <div key={at} className="ab-line-head">
                <Seen text={line.text || "⋯"} />
              </div>
            );
          if (line.kind !== "fold")
            return (
              <OneLine key={at} at={firsts.has(at) ? at : null} kind={line.kind} text={line.text} number={numbers[at]} marks={marks.get(at)} tongue={tongue} />
            );
          if (!opened.has(at))
            return (
              <button key={at} type="button" className="ab-line-fold" onClick={() => setOpened(new Set([...opened, at]))}>
                {words.unchanged(line.count)}
              </button>
            );
          return line.lines.map((text, place) => (
            <OneLine key={`${at}-${place}`} at={null} kind="same" text={text} number={(numbers[at] ?? 1) + place} marks={undefined} tongue={tongue} />
          ));
        })}
        {!isAll && (
          <button ref={more} type="button" className="ab-line-fold" onClick={() => setWhole(true)}>
            {words.showMoreLines(lines.length - LINES_SHOWN)}
          </button>
        )}
        {isAll && <End />}
      </Tall>
    </div>
  );
}

interface OneLineProps {
  /** The index of a line at which a change begins. */
  readonly at: number | null;
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  readonly number: number | undefined;
  readonly marks: readonly Mark[] | undefined;
  readonly tongue: Tongue;
}

function OneLine({ at, kind, text, number, marks, tongue }: OneLineProps) {
  const words = useWords();
  return (
    <div className="ab-line" data-kind={kind} {...(at === null ? {} : { "data-line": at, tabIndex: -1 })}>
      <span className="ab-number" aria-hidden="true">
        {number}
      </span>
      <span className="ab-sign" aria-hidden="true">
        {kind === "added" ? "+" : kind === "removed" ? "−" : ""}
      </span>
      {kind !== "same" && <span className="ab-aloud">{kind === "added" ? words.added : words.removed}: </span>}
      <code>
        <Painted code={text} tongue={tongue} {...(marks ? { marks } : {})} />
      </code>
    </div>
  );
}

/** Returns the number of each line: in the old text for removed lines, in the new one for all others. */
function numbersOf(lines: readonly Line[]): number[] {
  let [before, after] = [1, 1];
  return lines.map((line) => {
    const number = line.kind === "removed" ? before : after;
    if (line.kind === "hunk") [before, after] = [line.before, line.after];
    else if (line.kind !== "head") {
      const count = line.kind === "fold" ? line.count : 1;
      if (line.kind !== "added") before += count;
      if (line.kind !== "removed") after += count;
    }
    return number;
  });
}

/** Returns the indices at which changes begin. */
function firstsOf(lines: readonly Line[]): number[] {
  const isChange = (line: Line | undefined) => line?.kind === "added" || line?.kind === "removed";
  return lines.flatMap((line, at) => (isChange(line) && !isChange(lines[at - 1]) ? [at] : []));
}
