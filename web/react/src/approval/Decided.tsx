/** What was decided about an approval, a plan or a form. */

import type { AnswerDecision, Ask, NewAnswer, Remembered } from "@askbridge/client";
import { Icon } from "../card/Icon.tsx";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { fileOf } from "../card/rules.ts";
import { ruleText } from "./rule_text.ts";

type Decision = Partial<AnswerDecision> & Pick<NewAnswer, "words" | "always" | "stop" | "decision">;

/** From the ask once it is answered, or else from what this device has sent. */
export function Decided({ ask, given, saved = null }: { readonly ask: Ask; readonly given: NewAnswer | null; readonly saved?: Remembered | null }) {
  const words = useWords();
  const known = (ask.late?.answers ?? ask.answers) as Decision;
  const decision: Decision | null = known.decision ? known : given?.decision ? (given as Decision) : null;
  if (!decision?.decision) return null;
  const isYes = decision.decision === "allow" || decision.decision === "approve" || decision.decision === "accept";
  const rule = decision.always === undefined || ask.kind !== "approval" ? null : ask.approval.rules[decision.always];
  return (
    <div className="ab-decided" data-yes={isYes ? "" : undefined}>
      <p className="ab-given-answer">
        <Icon of={isYes ? "check" : "alert"} />
        <span>{labelOf(decision, ask.kind === "approval" && ask.approval.overrule === true, words)}</span>
      </p>
      {rule && (
        <p className="ab-quiet">
          {words.ruleSaved}{" "}
          <code>
            <Seen text={ruleText(rule.rule)} />
          </code>{" "}
          {typeof fileOf(rule.rule) === "string" && words.alwaysTheirFile(fileOf(rule.rule) as string)}
        </p>
      )}
      {saved && (
        <p className="ab-quiet">
          {words.alwaysSaved} {saved.file && words.ruleFile(saved.file)}
        </p>
      )}
      {decision.words && (
        <blockquote>
          <Seen text={decision.words} />
        </blockquote>
      )}
    </div>
  );
}

function labelOf(decision: Decision, isOverrule: boolean, words: ReturnType<typeof useWords>): string {
  switch (decision.decision) {
    case "allow":
      if (isOverrule) return words.wasLet;
      return decision.always !== undefined
        ? words.wasAllowedAlways
        : "input" in decision && decision.input !== undefined
          ? words.wasAllowedEdited
          : words.wasAllowed;
    case "deny":
      if (isOverrule) return words.wasLeft;
      return decision.stop ? words.wasDeniedAndStopped : words.wasDenied;
    case "approve":
      return "plan" in decision && decision.plan !== undefined ? words.wasApprovedEdited : words.wasApproved;
    case "send_back":
      return words.wasSentBack;
    case "accept":
      return words.wasAccepted;
    default:
      return words.wasDeclined;
  }
}
