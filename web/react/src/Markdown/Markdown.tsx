/** Renders an agent's markdown: no raw HTML, nothing fetched, links that show where they lead. */

import { lazy, memo, Suspense } from "react";
import { Seen } from "../text/Seen.tsx";

/** The parser is loaded when the first text needs it; until then the source is shown. */
const Rendered = lazy(() => import("./Rendered.tsx"));

export interface MarkdownProps {
  readonly text: string;
  /** The level of the heading above the text; its own headings are below that. 3 by default. */
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
