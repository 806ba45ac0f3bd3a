/** Shows the exact rule that "always" would save, who keeps it, and in which file: the agent's own, or ours. */

import { useEffect, useId, useRef, useState } from "react";
import type { OfferedRule, Remembered } from "@askbridge/client";
import { useRuleWords } from "../card/rule_words.ts";
import { fileOf } from "../card/rules.ts";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { AllowButton } from "./AllowButton.tsx";
import type { Unread } from "./ends.tsx";
import { OwnRule } from "./OwnRule.tsx";
import { ruleText } from "./rule_text.ts";

export interface AlwaysProps {
  readonly ask: string;
  /** What the agent offers to keep itself. */
  readonly rules: readonly OfferedRule[];
  /** May askbridge keep a rule? */
  readonly isOurs: boolean;
  /** What has to be read to its end first. `null`: nothing. */
  readonly ends: Unread;
  readonly onAllow: (rule: number) => void;
  /** Our rule is saved: the call can be allowed. */
  readonly onSaved: (rule: Remembered) => void;
  readonly onClose: () => void;
}

const OURS = -1;

export default function Always({ ask, rules, isOurs, ends, onAllow, onSaved, onClose }: AlwaysProps) {
  const words = { ...useWords(), ...useRuleWords() };
  const id = useId();
  const [chosen, setChosen] = useState(rules.length > 0 ? 0 : OURS);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => root.current?.querySelector<HTMLInputElement>("input")?.focus(), []);
  return (
    <div
      ref={root}
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
        {rules.length > 0 && <p className="ab-rules-whose">{words.alwaysTheirs}</p>}
        {rules.map((rule, at) => (
          <label key={at} className="ab-rule" data-chosen={chosen === at ? "" : undefined}>
            <input type="radio" name={id} checked={chosen === at} onChange={() => setChosen(at)} />
            <span>
              <span className="ab-rule-label">
                <Seen text={rule.label} />
              </span>
              <code className="ab-rule-text">
                <Seen text={ruleText(rule.rule)} />
              </code>
              <TheirFile rule={rule.rule} />
            </span>
          </label>
        ))}
        {isOurs && <p className="ab-rules-whose">{words.alwaysOurs}</p>}
        {isOurs && (
          <label className="ab-rule" data-chosen={chosen === OURS ? "" : undefined}>
            <input type="radio" name={id} checked={chosen === OURS} onChange={() => setChosen(OURS)} />
            <span>
              <span className="ab-rule-label">{words.alwaysExactly}</span>
              <span className="ab-quiet">{words.alwaysExactlyMore}</span>
            </span>
          </label>
        )}
      </div>
      {chosen === OURS ? (
        <OwnRule ask={ask} ends={ends} onSaved={onSaved} onClose={onClose} />
      ) : (
        <div className="ab-panel-actions">
          <button type="button" className="ab-button" data-tone="quiet" onClick={onClose}>
            {words.cancel}
          </button>
          <AllowButton label={words.allowAlwaysSend} ends={ends} onAllow={() => onAllow(chosen)} />
        </div>
      )}
    </div>
  );
}

function TheirFile({ rule }: { readonly rule: unknown }) {
  const words = { ...useWords(), ...useRuleWords() };
  const file = fileOf(rule);
  if (file === undefined) return null;
  return <span className="ab-quiet">{file === null ? words.alwaysTheirSession : words.alwaysTheirFile(file)}</span>;
}
