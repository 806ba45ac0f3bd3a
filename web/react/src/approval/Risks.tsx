/** Warnings about a tool's input: above the command, in short beside the buttons, and in the list. */

import { Icon } from "../card/Icon.tsx";
import { useWords } from "../wording.tsx";
import type { Risk, RiskWord } from "./risk.ts";

export function Risks({ risks, hint = false }: { readonly risks: readonly Risk[]; readonly hint?: boolean }) {
  const words = useWords();
  if (risks.length === 0) return null;
  return (
    <div className="ab-risks">
      <ul>
        {risks.map(({ word, isGrave }) => (
          <li key={word} data-grave={isGrave ? "" : undefined}>
            <Icon of="alert" />
            {words[word]}
          </li>
        ))}
      </ul>
      {hint && <p className="ab-quiet">{words.riskHint}</p>}
    </div>
  );
}

/** Shows the grave ones in one line. */
export function Graves({ graves }: { readonly graves: readonly RiskWord[] }) {
  const words = useWords();
  if (graves.length === 0) return null;
  return (
    <span className="ab-graves">
      <Icon of="alert" />
      <span>{graves.map((word) => words[word]).join(" · ")}</span>
    </span>
  );
}
