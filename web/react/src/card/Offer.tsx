/** "You chose X four times": offers the rule that says so, in full, to be saved with one tap. */

import { useState } from "react";
import type { Ask, Remembered, RuleOffer } from "@askbridge/client";
import { gravesOf } from "../approval/risk.ts";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { useRuleWords } from "./rule_words.ts";
import { useRules, PLACES_FOR_RULES, type CardRules, type Where } from "./rules.ts";

export default function Offer({ ask, offer }: { readonly ask: Ask; readonly offer: RuleOffer }) {
  const words = { ...useWords(), ...useRuleWords() };
  const rules = useRules();
  const [saved, setSaved] = useState<Remembered | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const { rule, times } = offer;
  // The server offers nothing for what looks grave; the page looks closer at some commands than the server does.
  if (!rules || (ask.kind === "approval" && rule.do === "allow" && gravesOf(ask).length > 0)) return null;
  if (saved) {
    return (
      <p className="ab-offer ab-quiet" role="status">
        {words.offerSaved(saved.file)}
      </p>
    );
  }
  const save = () => {
    setSaving(true);
    rules.save(wishOf(ask.id, rule)).then(setSaved, (error: unknown) => {
      setSaving(false);
      setTrouble(error instanceof Error ? error.message : String(error));
    });
  };
  return (
    <section className="ab-offer" aria-label={words.offer}>
      <p>{words.offerTimes(rule.do, offer.chosen ?? "", times)}</p>
      <p className="ab-quiet">{words.offerMore(words[PLACES_FOR_RULES[rule.for as Where]])}</p>
      <pre className="ab-rule-text">
        <Seen text={rule.rule.trimEnd()} />
      </pre>
      {rule.file && <p className="ab-quiet">{words.ruleFile(rule.file)}</p>}
      {trouble !== null && (
        <p className="ab-problem" role="alert">
          {trouble}
        </p>
      )}
      <button type="button" className="ab-button" data-tone="plain" disabled={isSaving} onClick={save}>
        {words.offerSave}
      </button>
    </section>
  );
}

/** The rule that was shown, and no other. */
function wishOf(ask: string, rule: Remembered): Parameters<CardRules["save"]>[0] {
  const until = rule.until === null ? { for_good: true } : { until: rule.until };
  return { ask, do: "as_before", for: rule.for as Where, id: rule.id, ...until };
}
