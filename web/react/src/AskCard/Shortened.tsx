/** Shown for an ask of which only the beginning is loaded. It cannot be decided before all of it can be read. */

import type { AskView } from "@askbridge/client";
import { Icon } from "../card/Icon.tsx";
import { headlineOf } from "../Inbox/headline.ts";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";

export interface ShortenedProps {
  readonly view: AskView;
  /** The size of the whole ask. */
  readonly bytes: number;
  readonly onComplete: (() => void) | undefined;
}

export function Shortened({ view, bytes, onComplete }: ShortenedProps) {
  const words = useWords();
  const hasFailed = view.rest === "failed";
  return (
    <div className="ab-shortened" aria-busy={!hasFailed}>
      <p className="ab-question-text">
        <Seen text={headlineOf(view.ask)} />
      </p>
      {hasFailed ? (
        <div className="ab-notice" data-tone="stop" role="alert">
          <Icon of="alert" />
          <div>
            <p>{words.restFailed}</p>
            {onComplete && (
              <button type="button" className="ab-button" onClick={onComplete}>
                {words.loadRestAgain}
              </button>
            )}
          </div>
        </div>
      ) : (
        <>
          <p className="ab-preparing" role="status">
            {words.restLoading(Math.ceil(bytes / 1000))}
          </p>
          <span className="ab-bar" data-wide="" />
          <span className="ab-bar" />
        </>
      )}
    </div>
  );
}
