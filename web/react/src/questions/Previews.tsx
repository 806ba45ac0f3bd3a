/** The options' previews: beside the options on a wide card, swiped below them on a narrow one. */

import { useEffect, useRef } from "react";
import type { Choice } from "@askbridge/client";
import { Markdown } from "../Markdown/Markdown.tsx";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { PREVIEW_CHARS_MAX, previewKind } from "./previewed.ts";
import { PreviewPage } from "./PreviewPage.tsx";
import { recommendation } from "./recommended.ts";

export interface PreviewsProps {
  readonly options: readonly Choice[];
  readonly shown: number;
  readonly chosen: readonly number[];
  /** The person swiped to another one. */
  readonly onShow: (option: number) => void;
  readonly onTap: (option: number) => void;
}

export function Previews({ options, shown, chosen, onShow, onTap }: PreviewsProps) {
  const words = useWords();
  const strip = useRef<HTMLDivElement>(null);
  const going = useRef<number | null>(null);
  const last = useRef(0);
  // An option without a preview has no place in the strip. While it is selected, the strip stays where it was.
  const drawn = options.flatMap((option, at) => (option.preview ? [{ option, at }] : []));
  const found = drawn.findIndex(({ at }) => at === shown);
  const place = found < 0 ? Math.min(last.current, drawn.length - 1) : found;
  last.current = place;

  useEffect(() => {
    const element = strip.current;
    if (!element?.clientWidth || Math.round(element.scrollLeft / element.clientWidth) === place) return;
    going.current = place;
    element.scrollTo({ left: place * element.clientWidth, behavior: "instant" });
  }, [place]);

  return (
    <div className="ab-previews" data-none={found < 0 ? "" : undefined}>
      <div
        ref={strip}
        className="ab-previews-strip"
        tabIndex={0}
        role="group"
        aria-label={words.preview}
        onScroll={({ currentTarget: { scrollLeft, clientWidth } }) => {
          if (!clientWidth) return;
          const at = Math.round(scrollLeft / clientWidth);
          // Our own scrolling to a place is not a swipe.
          if (going.current !== null) {
            if (at === going.current) going.current = null;
            return;
          }
          const swiped = drawn[at];
          if (swiped && at !== place) onShow(swiped.at);
        }}
      >
        {drawn.map(({ option, at }, order) => {
          const { label } = recommendation(option.label);
          return (
            <figure key={at} ref={(figure) => void figure?.toggleAttribute("inert", order !== place)} className="ab-preview" aria-label={words.previewOf(label)}>
              <figcaption>
                <span className="ab-key" aria-hidden="true">{at + 1}</span>
                <span className="ab-preview-name"><Seen text={label} /></span>
                <button type="button" className="ab-button ab-preview-choose" data-tone="plain" aria-label={`${words.choose}: ${label}`} onClick={() => onTap(at)}>
                  {chosen.includes(at) ? words.chosen : words.choose}
                </button>
              </figcaption>
              {/* Neighbours are rendered ahead of a swipe, the others when they are reached. */}
              {Math.abs(order - place) <= 1 && option.preview && <Preview label={label} preview={option.preview} />}
            </figure>
          );
        })}
      </div>
    </div>
  );
}

function Preview({ label, preview }: { readonly label: string; readonly preview: string }) {
  const words = useWords();
  switch (previewKind(preview)) {
    case "html":
      return <PreviewPage title={words.previewOf(label)} preview={preview} />;
    case "markdown":
      return <div className="ab-preview-text" tabIndex={0}><Markdown text={preview} /></div>;
    case "drawing":
      return <pre className="ab-preview-drawing" tabIndex={0}><Seen text={preview.slice(0, PREVIEW_CHARS_MAX)} />{preview.length > PREVIEW_CHARS_MAX && "…"}</pre>;
  }
}
