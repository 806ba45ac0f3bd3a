/** Shows the exact rule that "always" would save. */

import { useEffect, useId, useRef, useState } from "react";
import type { OfferedRule } from "@askbridge/client";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { AllowButton } from "./AllowButton.tsx";
import type { Unread } from "./ends.tsx";

export interface AlwaysProps {
  readonly rules: readonly OfferedRule[];
  /** What has to be read to its end first. `null`: nothing. */
  readonly ends: Unread;
  readonly onAllow: (rule: number) => void;
  readonly onClose: () => void;
}

export function Always({ rules, ends, onAllow, onClose }: AlwaysProps) {
  const words = useWords();
  const id = useId();
  const [chosen, setChosen] = useState(0);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => void first.current?.focus(), []);
  return (
    <div
      className="ab-panel"
      role="group"
      aria-labelledby={`${id}-title`}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <h3 id={`${id}-title`} className="ab-panel-title">
        {words.allowAlwaysTitle}
      </h3>
      <p className="ab-quiet">{words.ruleSaved}</p>
      <div className="ab-rules" role="radiogroup" aria-labelledby={`${id}-title`}>
        {rules.map((rule, at) => (
          <label key={at} className="ab-rule" data-chosen={chosen === at ? "" : undefined}>
            <input ref={at === 0 ? first : null} type="radio" name={id} checked={chosen === at} onChange={() => setChosen(at)} />
            <span>
              <span className="ab-rule-label">
                <Seen text={rule.label} />
              </span>
              <code className="ab-rule-text">
                <Seen text={ruleText(rule.rule)} />
              </code>
            </span>
          </label>
        ))}
      </div>
      <div className="ab-panel-actions">
        <button type="button" className="ab-button" data-tone="quiet" onClick={onClose}>
          {words.cancel}
        </button>
        <AllowButton label={words.allowAlwaysSend} ends={ends} onAllow={() => onAllow(chosen)} />
      </div>
    </div>
  );
}

export const ruleText = (rule: unknown): string => (typeof rule === "string" ? rule : JSON.stringify(rule, null, 2));
