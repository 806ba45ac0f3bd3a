/** The progress of an answer: from the person to the server to the agent. */

import { useWords } from "../wording.tsx";

/** How far: with the person, on the server's disk, with the agent. */
export type Reached = "you" | "stored" | "agent";

const FAR: Readonly<Record<Reached, number>> = { you: 0, stored: 1, agent: 2 };

export function Crossing({ reached, moves }: { readonly reached: Reached; readonly moves: boolean }) {
  const words = useWords();
  const far = FAR[reached];
  const isPast = (step: number) => (far >= step ? "" : undefined);
  return (
    <div className="ab-crossing" data-moves={moves ? "" : undefined} aria-hidden="true">
      <svg viewBox="0 0 200 34" preserveAspectRatio="none">
        <path className="ab-span" d="M6 28 Q 53 -8 100 28" data-past={isPast(1)} data-next={far === 0 ? "" : undefined} />
        <path className="ab-span" d="M100 28 Q 147 -8 194 28" data-past={isPast(2)} data-next={far === 1 ? "" : undefined} />
      </svg>
      <ol>
        <li data-past="">{words.stepYou}</li>
        <li data-past={isPast(1)}>{words.stepStored}</li>
        <li data-past={isPast(2)}>{words.stepAgent}</li>
      </ol>
    </div>
  );
}
