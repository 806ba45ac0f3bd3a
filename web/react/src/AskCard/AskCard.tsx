import { phaseOf, type AskView, type NewAnswer } from "@askbridge/client";
import { cardWords, type Language } from "@askbridge/words";

export interface AskCardProps {
  readonly view: AskView;
  readonly language: Language;
  readonly onAnswer: (answer: NewAnswer) => void;
  readonly onDismiss: (words?: string) => void;
  /** So many seconds more, or `null`: for ever. */
  readonly onExtend: (seconds: number | null) => void;
  readonly onUndo: () => void;
  readonly onDraft: (draft: unknown) => void;
}

/** An ask, for a person to decide. A plain one that only answers with text, until the real one takes its place. */
export function AskCard({ view, language, onAnswer }: AskCardProps) {
  const words = cardWords[language];
  const { ask } = view;
  if (ask.kind !== "questions") return <pre>{JSON.stringify(ask, null, 2)}</pre>;
  return (
    <form
      className="ab-card"
      data-phase={phaseOf(view)}
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        onAnswer({ answers: Object.fromEntries(ask.questions.map((q, i) => [q.question, String(given.get(String(i)))])) });
      }}
    >
      {ask.questions.map((q, i) => (
        <label key={i}>{q.question}<input name={String(i)} /></label>
      ))}
      <button>{words.answer}</button>
    </form>
  );
}
