/** The body of a plan: read it, change it, approve it, or send it back. */

import { useCallback, useState } from "react";
import type { NewAnswer, PlanAsk } from "@askbridge/client";
import { Decided } from "../approval/Decided.tsx";
import type { BodyProps } from "../card/body.ts";
import { useDraft } from "../card/draft.ts";
import { Foot } from "../card/Foot.tsx";
import { useGiven } from "../card/given.ts";
import { usePanel } from "../card/panel.ts";
import { Tall } from "../card/Tall.tsx";
import { WordsPanel } from "../card/Words.tsx";
import { Markdown } from "../Markdown/Markdown.tsx";
import { useWords } from "../wording.tsx";

/** The draft of an answer to a plan. `plan: null`: it is unchanged. */
interface PlanDraft {
  readonly kind: "plan";
  readonly plan: string | null;
  readonly words: string;
}

const FRESH: PlanDraft = { kind: "plan", plan: null, words: "" };
const readDraft = (raw: unknown): PlanDraft | null => {
  const draft = raw as Partial<PlanDraft> | null;
  return draft?.kind === "plan"
    ? {
        kind: "plan",
        plan: typeof draft.plan === "string" ? draft.plan : null,
        words: typeof draft.words === "string" ? draft.words : "",
      }
    : null;
};

export function PlanBody({ view, ask, isAnswerable, onAnswer, onDismiss, onDraft }: BodyProps<PlanAsk>) {
  const words = useWords();
  const write = useCallback((half: PlanDraft) => (half.plan === null && half.words === "" ? null : half), []);
  const { draft, change, ...leaving } = useDraft<PlanDraft>({ kept: view.draft, fresh: FRESH, read: readDraft, write, onDraft });
  const [isEditing, setEditing] = useState(draft.plan !== null);
  const { panel, open, close, root } = usePanel<"back">();
  const [given, setGiven] = useGiven(view);
  const isChanged = draft.plan !== null && draft.plan !== ask.plan;
  const send = (answer: NewAnswer) => {
    setGiven(answer);
    onAnswer(answer);
  };
  if (!isAnswerable) {
    const edited = given?.plan ?? ("plan" in ask.answers && typeof ask.answers.plan === "string" ? ask.answers.plan : null);
    return (
      <div className="ab-plan">
        <div className="ab-sheet">
          <Markdown text={edited ?? ask.plan} below={2} />
        </div>
        <Decided ask={ask} given={given} />
      </div>
    );
  }
  return (
    <div ref={root} className="ab-plan">
      {isEditing ? (
        <div className="ab-edit">
          <label className="ab-field">
            <span className="ab-field-label">{words.editPlan}</span>
            <textarea
              className="ab-input ab-mono"
              autoFocus
              rows={Math.min(24, ask.plan.split("\n").length + 2)}
              value={draft.plan ?? ask.plan}
              onChange={(event) => {
                const plan = event.target.value;
                change((half) => ({ ...half, plan }));
              }}
            />
          </label>
          <div className="ab-edit-state">
            <span role="status" className="ab-quiet">
              {isChanged ? words.editedHint : ""}
            </span>
            <button
              type="button"
              className="ab-button"
              data-tone="quiet"
              onClick={() => {
                change((half) => ({ ...half, plan: null }));
                setEditing(false);
              }}
            >
              {isChanged ? words.backToOriginal : words.cancel}
            </button>
          </div>
        </div>
      ) : (
        <Tall as="div" className="ab-sheet" role="group" aria-label={words.plan}>
          <Markdown text={ask.plan} below={2} />
        </Tall>
      )}
      <Foot
        {...leaving}
        ask={ask}
        onDismiss={onDismiss}
        panel={
          panel === "back" && (
            <WordsPanel
              title={words.sendBackTitle}
              label={words.sendBackWords}
              words={draft.words}
              onWords={(said) => change((half) => ({ ...half, words: said }))}
              onClose={close}
              actions={[
                {
                  label: words.sendBackSend,
                  tone: "main",
                  needsWords: true,
                  act: () => send({ decision: "send_back", words: draft.words.trim() }),
                },
              ]}
            />
          )
        }
      >
        <button type="button" className="ab-button" data-tone="plain" data-opens="back" onClick={() => open("back")}>
          {words.sendBack}
        </button>
        {!isEditing && (
          <button type="button" className="ab-button" data-tone="plain" onClick={() => setEditing(true)}>
            {words.edit}
          </button>
        )}
        <button
          type="button"
          className="ab-button"
          data-tone="main"
          onClick={() => send({ decision: "approve", ...(isChanged ? { plan: draft.plan ?? ask.plan } : {}) })}
        >
          {isChanged ? words.approveEdited : words.approve}
        </button>
      </Foot>
    </div>
  );
}
