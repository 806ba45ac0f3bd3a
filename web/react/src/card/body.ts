/** The props of every kind of card. */

import type { AnswerHow, Ask, AskView, NewAnswer } from "@askbridge/client";

export interface BodyProps<A extends Ask> {
  readonly view: AskView;
  readonly ask: A;
  /** May the person answer, perhaps late? */
  readonly isAnswerable: boolean;
  readonly onAnswer: (answer: NewAnswer, how?: AnswerHow) => void;
  readonly onDismiss: (words?: string) => void;
  readonly onDraft: (draft: unknown) => void;
}
