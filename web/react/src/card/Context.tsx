/** What the agent said before it asked. Shown at once: people decide by it. */

import { useState } from "react";
import { Markdown } from "../Markdown/Markdown.tsx";
import { useWords } from "../wording.tsx";

/** Beyond this it is cut until the person expands it. */
const CHARS_SHOWN = 420;
const LINES_SHOWN = 8;

export function Context({ text }: { readonly text: string | undefined }) {
  const words = useWords();
  const [isWhole, setWhole] = useState(false);
  if (!text?.trim()) return null;
  const isLong = text.length > CHARS_SHOWN || text.split("\n").length > LINES_SHOWN;
  return (
    <div className="ab-context" role="group" aria-label={words.saidBefore}>
      <div className="ab-context-text" data-cut={isLong && !isWhole ? "" : undefined}>
        <Markdown text={text} below={2} />
      </div>
      {isLong && (
        <button type="button" className="ab-button" data-tone="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? words.hide : words.show}
        </button>
      )}
    </div>
  );
}
