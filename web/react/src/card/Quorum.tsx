/** The progress of an ask that needs several people to agree. */

import type { Ask } from "@askbridge/client";
import { useWords } from "../wording.tsx";
import { whoOf } from "./who.ts";

interface QuorumProps {
  readonly ask: Ask;
  readonly me: string | undefined;
  /** Undoes the person's own vote. Left out while something of theirs is being sent. */
  readonly onUndo?: () => void;
}

export function Quorum({ ask, me, onUndo }: QuorumProps) {
  const words = useWords();
  if (!ask.quorum || ask.state !== "open") return null;
  const { needed, answered, agree } = ask.quorum;
  const isMine = answered.some((by) => !("rule" in by) && by.person === me);
  return (
    <div className="ab-quorum">
      <span className="ab-quorum-marks" aria-hidden="true">
        {Array.from({ length: needed }, (_, place) => (
          <span key={place} data-given={place < agree ? "" : undefined} />
        ))}
      </span>
      <p role="status">
        <strong>{words.quorum(Math.min(answered.length, needed), needed)}</strong>{" "}
        {answered.length > 0 && <>{answered.map((by) => whoOf(by, me, words)).join(", ")}. </>}
        {answered.length > agree ? words.quorumDiffer : words.quorumSame(needed)} {isMine && words.quorumYours}
      </p>
      {isMine && onUndo && (
        <button type="button" className="ab-button" data-tone="plain" onClick={onUndo}>
          {words.undo}
        </button>
      )}
    </div>
  );
}
