/** Markdown of an agent: no raw HTML, nothing fetched, links that say where they lead. */

import { lazy, memo, Suspense } from "react";
import { Seen } from "../text/Seen.tsx";

/** The parser comes when the first text needs it; until then the text is there as it was written. */
const Rendered = lazy(() => import("./Rendered.tsx"));

export interface MarkdownProps {
  readonly text: string;
  /** The heading under which the text stands, so that its own headings are below that one. 3 if nothing is said. */
  readonly below?: 1 | 2 | 3;
}

export const Markdown = memo(function Markdown({ text, below = 3 }: MarkdownProps) {
  return (
    <div className="ab-markdown">
      <Suspense
        fallback={
          <p className="ab-markdown-plain">
            <Seen text={text} />
          </p>
        }
      >
        <Rendered text={text} below={below} />
      </Suspense>
    </div>
  );
});
