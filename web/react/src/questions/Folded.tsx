/** A folded question, as one line: what it asks, and the answer so far. */

import { Icon } from "../card/Icon.tsx";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { isDone } from "./picks.ts";
import type { QuestionFieldProps } from "./QuestionField.tsx";

export function Folded({ question, at, of, pick, onUnfold }: QuestionFieldProps) {
  const words = useWords();
  const chosen = pick.chosen
    .map((option) => question.options[option]?.label ?? "")
    .concat(pick.text && !question.secret ? [pick.text] : []);
  return (
    <div className="ab-question" data-question={at} data-folded="" data-done={isDone(pick) ? "" : undefined}>
      <button type="button" className="ab-fold" aria-expanded={false} onClick={onUnfold}>
        <span className="ab-key" aria-hidden="true">
          {isDone(pick) ? <Icon of="check" /> : at + 1}
        </span>
        <span className="ab-aloud">{words.question(at + 1, of)}: </span>
        <span className="ab-fold-question">
          <Seen text={question.question} />
        </span>
        <span className="ab-fold-answer">
          {pick.skipped ? words.skipped : isDone(pick) ? <Seen text={chosen.join(", ") || words.note} /> : words.openQuestion}
        </span>
      </button>
    </div>
  );
}
