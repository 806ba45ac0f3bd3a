/** An agent's text, with hidden characters made visible. */

import { Fragment } from "react";
import { useWords } from "../wording.tsx";
import { visible } from "./visible.ts";

export function Seen({ text }: { readonly text: string }) {
  const words = useWords();
  return (
    <>
      {visible(text).map((piece, at) =>
        piece.kind === "text" ? (
          <Fragment key={at}>{piece.text}</Fragment>
        ) : piece.kind === "alike" ? (
          <mark key={at} className="ab-alike" title={piece.name}>
            {piece.text}
          </mark>
        ) : piece.kind === "hidden" ? (
          <span key={at} className="ab-hidden" role="img" aria-label={words.hiddenCharacter(piece.name)}>
            {piece.name}
          </span>
        ) : piece.kind === "lines" ? (
          <span key={at} className="ab-empty-lines">
            {words.emptyLines(piece.count)}
          </span>
        ) : (
          <span key={at} className="ab-hidden" role="img" aria-label={words.spaces(piece.count)}>
            {words.spaces(piece.count)}
          </span>
        ),
      )}
    </>
  );
}
