/** Code with syntax colours, visible hidden characters, and marked changes. */

import { useMemo } from "react";
import { Seen } from "../text/Seen.tsx";
import { paint, type Ink, type Tongue } from "./paint.ts";
import type { Mark } from "./within.ts";

export interface PaintedProps {
  readonly code: string;
  readonly tongue: Tongue;
  readonly marks?: readonly Mark[];
}

export function Painted({ code, tongue, marks }: PaintedProps) {
  const pieces = useMemo(() => piecesOf(code, tongue, marks ?? []), [code, tongue, marks]);
  return (
    <>
      {pieces.map(({ ink, text, isMarked }, at) => {
        const painted = ink === "plain" ? <Seen key={at} text={text} /> : <span key={at} data-ink={ink}><Seen text={text} /></span>;
        return isMarked ? <mark key={at} className="ab-part">{painted}</mark> : painted;
      })}
    </>
  );
}

interface Piece {
  readonly ink: Ink;
  readonly text: string;
  readonly isMarked: boolean;
}

/** Splits coloured pieces where a mark begins or ends. */
function piecesOf(code: string, tongue: Tongue, marks: readonly Mark[]): Piece[] {
  const pieces: Piece[] = [];
  let place = 0;
  for (const { ink, text } of paint(code, tongue)) {
    const end = place + text.length;
    const cuts = [place, ...marks.flat().filter((cut) => cut > place && cut < end), end];
    for (let at = 0; at + 1 < cuts.length; at += 1) {
      const [from, to] = [cuts[at] as number, cuts[at + 1] as number];
      if (from === to) continue;
      pieces.push({ ink, text: code.slice(from, to), isMarked: marks.some(([start, stop]) => from >= start && to <= stop) });
    }
    place = end;
  }
  return pieces;
}
