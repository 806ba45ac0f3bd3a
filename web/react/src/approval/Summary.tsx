/** The agent's summary of its request. The command is below it, so a long one is cut until the person expands it. */

import { useState } from "react";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";

const CHARS_SHOWN = 160;

export function Summary({ text }: { readonly text: string | undefined }) {
  const words = useWords();
  const [isWhole, setWhole] = useState(false);
  if (!text) return null;
  const short = shortOf(text);
  return (
    <div className="ab-summary">
      <h3 className="ab-question-text">
        <Seen text={isWhole ? text : short} />
      </h3>
      {short !== text && (
        <button type="button" className="ab-button" data-tone="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? words.less : words.more}
        </button>
      )}
    </div>
  );
}

/** Returns the beginning of a text: its first two non-empty lines, and no more than fit above a command. */
function shortOf(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const characters = [...lines.slice(0, 2).join("\n")];
  if (characters.length > CHARS_SHOWN) return `${characters.slice(0, CHARS_SHOWN).join("")}…`;
  return lines.length > 2 ? `${characters.join("")}…` : text.trim().includes("\n\n") ? characters.join("") : text;
}
