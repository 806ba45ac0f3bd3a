/** Fallback for a card that cannot be drawn: shows the raw ask, and the person can still answer in words. */

import { Component, type ReactNode } from "react";
import type { NewAnswer } from "@askbridge/client";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import type { AskCardProps } from "./AskCard.tsx";

interface State {
  readonly isBroken: boolean;
  /** What the person has typed. Kept here: the fallback is drawn anew whenever the ask changes. */
  readonly said: string;
}

export class CardBoundary extends Component<AskCardProps & { readonly children: ReactNode }, State> {
  override state: State = { isBroken: false, said: "" };

  static getDerivedStateFromError(): Partial<State> {
    return { isBroken: true };
  }

  override componentDidUpdate(before: AskCardProps) {
    // The ask has changed: perhaps it can be drawn now.
    if (this.state.isBroken && before.view !== this.props.view) this.setState({ isBroken: false });
  }

  override render() {
    return this.state.isBroken ? (
      <Fallback
        {...this.props}
        said={this.state.said}
        onSaid={(said) => this.setState({ said })}
        onRetry={() => this.setState({ isBroken: false })}
      />
    ) : (
      this.props.children
    );
  }
}

interface FallbackProps extends AskCardProps {
  readonly said: string;
  readonly onSaid: (said: string) => void;
  readonly onRetry: () => void;
}

function Fallback({ view, said, onSaid, onAnswer, onDismiss, onRetry }: FallbackProps) {
  const words = useWords();
  const answer = inWords(view.ask, said.trim());
  return (
    <article className="ab-card" data-phase="broken">
      <div className="ab-notice" data-tone="stop" role="alert">
        <div>
          <p>
            <strong>{words.broken}</strong> {words.brokenHint}
          </p>
        </div>
      </div>
      <details className="ab-told" open>
        <summary>{words.rawData}</summary>
        <pre className="ab-code" tabIndex={0}>
          <Seen text={rawOf(view.ask)} />
        </pre>
      </details>
      <label className="ab-field">
        <span className="ab-field-label">{words.brokenAnswer}</span>
        <textarea className="ab-input" rows={2} value={said} onChange={(event) => onSaid(event.target.value)} />
      </label>
      <div className="ab-foot">
        <div className="ab-foot-main">
          <button type="button" className="ab-button" data-tone="quiet" onClick={onRetry}>
            {words.tryAgain}
          </button>
          <button type="button" className="ab-button" data-tone="plain" onClick={() => onDismiss(said.trim() || undefined)}>
            {words.dismiss}
          </button>
          <button
            type="button"
            className="ab-button"
            data-tone="main"
            disabled={said.trim() === ""}
            onClick={() => (answer ? onAnswer(answer) : onDismiss(said.trim()))}
          >
            {answer?.decision === "deny" ? words.brokenDeny : words.send}
          </button>
        </div>
      </div>
    </article>
  );
}

/** The best answer that words can give to an ask that we cannot read: to its first question, or a no with a reason. */
function inWords(ask: unknown, said: string): NewAnswer | null {
  const { kind, questions } = (ask ?? {}) as { kind?: unknown; questions?: unknown };
  switch (kind) {
    case "questions": {
      const first: unknown = Array.isArray(questions) ? questions[0] : undefined;
      const text = (first as { question?: unknown } | undefined)?.question;
      return typeof text === "string" ? { answers: { [text]: { text: said } } } : null;
    }
    case "approval":
      return { decision: "deny", words: said };
    case "plan":
      return { decision: "send_back", words: said };
    case "form":
      return { decision: "decline", words: said };
    default:
      return null;
  }
}

function rawOf(ask: unknown): string {
  try {
    return JSON.stringify(ask, null, 2) ?? String(ask);
  } catch {
    return String(ask);
  }
}
