/** Questions that can no longer be answered here, with the answers. Options that were not chosen are shown too. */

import type { NewAnswer, QuestionsAsk } from "@askbridge/client";
import { Icon } from "../card/Icon.tsx";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { recommendation } from "./recommended.ts";
import { notChosen, saidOf } from "./said.ts";

export function Given({ ask, given }: { readonly ask: QuestionsAsk; readonly given: NewAnswer | null }) {
  const words = useWords();
  return (
    <div className="ab-given">
      {saidOf(ask, given).map((said, at) => {
        const others = notChosen(said);
        return (
          <div key={at} className="ab-given-question">
            {said.question.header && (
              <span className="ab-chip">
                <Seen text={said.question.header} />
              </span>
            )}
            <h3 className="ab-question-text" data-small="">
              <Seen text={said.question.question} />
            </h3>
            {said.values.map((value, place) => (
              <p key={place} className="ab-given-answer">
                <Icon of="check" />
                <span>
                  <Seen text={recommendation(value).label} />
                </span>
              </p>
            ))}
            {said.note && (
              <p className="ab-given-note">
                <Icon of="note" label={words.note} />
                <span>
                  <Seen text={said.note} />
                </span>
              </p>
            )}
            {said.isSkipped && <p className="ab-quiet">{words.skipped}</p>}
            {others.length > 0 && (
              <p className="ab-given-others">
                <span>{said.values.length > 0 ? words.notChosen : words.offered}</span>{" "}
                <Seen text={others.map((label) => recommendation(label).label).join(" · ")} />
              </p>
            )}
          </div>
        );
      })}
    </div>
  );
}
