/** Our rule for exactly one call: where and until when it holds, its text as it will be saved, and its file. */

import { useEffect, useId, useState } from "react";
import type { NewRemembered, Remembered } from "@askbridge/client";
import { useRuleWords } from "../card/rule_words.ts";
import { SPANS, untilOf, useRules, PLACES_FOR_RULES, type Span, type Where } from "../card/rules.ts";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { AllowButton } from "./AllowButton.tsx";
import type { Unread } from "./ends.tsx";

export interface OwnRuleProps {
  readonly ask: string;
  readonly ends: Unread;
  readonly onSaved: (rule: Remembered) => void;
  readonly onClose: () => void;
}

/** The rule that is shown, and the wish that it was made of. */
interface Shown {
  readonly wish: NewRemembered;
  readonly rule: Remembered;
}

export function OwnRule({ ask, ends, onSaved, onClose }: OwnRuleProps) {
  const words = { ...useWords(), ...useRuleWords() };
  const rules = useRules();
  const id = useId();
  const [where, setWhere] = useState<Where>("project");
  const [span, setSpan] = useState<Span>("today");
  const [shown, setShown] = useState<Shown | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);

  useEffect(() => {
    if (!rules) return;
    let isGone = false;
    const wish: NewRemembered = { ask, for: where, ...untilOf(span, Date.now()) };
    setShown(null);
    rules.preview(wish).then(
      (rule) => {
        if (isGone) return;
        setShown({ wish, rule });
        setTrouble(null);
      },
      (error: unknown) => isGone || setTrouble(saidBy(error)),
    );
    return () => void (isGone = true);
  }, [rules, ask, where, span]);

  const save = () => {
    if (!rules || !shown) return;
    setSaving(true);
    rules.save({ ...shown.wish, id: shown.rule.id }).then(onSaved, (error: unknown) => {
      setSaving(false);
      setTrouble(saidBy(error));
    });
  };
  return (
    <>
      <div className="ab-rule-choices">
        <label>
          <span>{words.ruleWhere}</span>
          <select className="ab-input" value={where} onChange={({ target }) => setWhere(target.value as Where)}>
            {Object.entries(PLACES_FOR_RULES).map(([one, word]) => (
              <option key={one} value={one}>
                {words[word]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{words.ruleUntil}</span>
          <select className="ab-input" value={span} onChange={({ target }) => setSpan(target.value as Span)}>
            {Object.entries(SPANS).map(([one, word]) => (
              <option key={one} value={one}>
                {words[word]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {shown && (
        <div className="ab-rule-whole" id={`${id}-rule`}>
          <pre className="ab-rule-text">
            <Seen text={shown.rule.rule.trimEnd()} />
          </pre>
          {shown.rule.file && <p className="ab-quiet">{words.ruleFile(shown.rule.file)}</p>}
        </div>
      )}
      {trouble !== null && (
        <p className="ab-problem" role="alert">
          {trouble}
        </p>
      )}
      <div className="ab-panel-actions">
        <button type="button" className="ab-button" data-tone="quiet" onClick={onClose}>
          {words.cancel}
        </button>
        <AllowButton label={words.allowAlwaysSend} ends={ends} disabled={!shown || isSaving} onAllow={save} />
      </div>
    </>
  );
}

export const saidBy = (error: unknown): string => (error instanceof Error ? error.message : String(error));
