/** The body of an approval: may this tool run with this input? */

import { lazy, Suspense, useMemo, useState } from "react";
import type { ApprovalAsk, NewAnswer, Remembered } from "@askbridge/client";
import type { BodyProps } from "../card/body.ts";
import { useDraft } from "../card/draft.ts";
import { Foot } from "../card/Foot.tsx";
import { useGiven } from "../card/given.ts";
import { usePanel } from "../card/panel.ts";
import { useRules } from "../card/rules.ts";
import { WordsPanel } from "../card/Words.tsx";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";
import { AllowButton } from "./AllowButton.tsx";
import { Decided } from "./Decided.tsx";
import { EditInput } from "./EditInput.tsx";
import { End, EndsProvider, unreadOf, useEnds } from "./ends.tsx";
import { Graves, Risks } from "./Risks.tsx";
import { risksOf } from "./risk.ts";
import { Summary } from "./Summary.tsx";
import { edited, editableOf, faultOf, isTap } from "./tool.ts";

const Input = lazy(() => import("./Input.tsx"));
const Always = lazy(() => import("./Always.tsx"));

/** The draft of an answer to an approval. `text: null`: the input is unchanged. */
interface ApprovalDraft {
  readonly kind: "approval";
  readonly text: string | null;
  readonly words: string;
}

const FRESH: ApprovalDraft = { kind: "approval", text: null, words: "" };
const readDraft = (raw: unknown): ApprovalDraft | null => {
  const draft = raw as Partial<ApprovalDraft> | null;
  return draft?.kind === "approval"
    ? {
        kind: "approval",
        text: typeof draft.text === "string" ? draft.text : null,
        words: typeof draft.words === "string" ? draft.words : "",
      }
    : null;
};
const writeDraft = (draft: ApprovalDraft) => (draft.text === null && draft.words === "" ? null : draft);

export function ApprovalBody({ view, ask, isAnswerable, onAnswer, onDismiss, onDraft }: BodyProps<ApprovalAsk>) {
  const words = useWords();
  const { approval } = ask;
  const isOverrule = approval.overrule === true;
  const { draft, change, ...leaving } = useDraft<ApprovalDraft>({
    kept: view.draft,
    fresh: FRESH,
    read: readDraft,
    write: writeDraft,
    onDraft,
  });
  const { panel, open, close, root } = usePanel<"always" | "deny">();
  const [wantsEdit, setEditing] = useState(draft.text !== null);
  const [given, setGiven] = useGiven(view);
  const [saved, setSaved] = useState<Remembered | null>(null);
  const editable = useMemo(() => editableOf(approval.input), [approval.input]);
  const isChanged = draft.text !== null && draft.text !== editable.text;
  // A change that was made on another device is shown as well: nothing is allowed that is not on the screen.
  const isEditing = wantsEdit || isChanged;
  const input = isChanged ? edited(approval.input, editable, draft.text ?? "") : approval.input;
  const fault = useMemo(() => {
    if (input === undefined) return words.notJson;
    const found = isChanged ? faultOf(approval.input, input) : null;
    switch (found?.why) {
      case undefined:
        return null;
      case "not-alike":
        return words.editNotAlike;
      case "empty":
        return words.editEmpty;
      case "type":
        return words.editWants(found.field, found.type);
    }
  }, [approval.input, input, isChanged, words]);
  const risks = useMemo(
    () => risksOf(approval.tool, input === undefined ? approval.input : input, ask.context?.folder),
    [approval, input, ask.context?.folder],
  );

  const graves = risks.flatMap(({ word, isGrave }) => (isGrave ? [word] : []));
  const ends = useEnds(!isChanged);
  const unread = unreadOf(ends, graves.length > 0);

  // Our rule is for the call as the agent made it.
  const isOurs = useRules() !== null && !isOverrule && !isChanged && !isTap(ask);
  const hasAlways = approval.rules.length > 0 || isOurs;

  const send = (answer: NewAnswer, isUndoable = false) => {
    setGiven(answer);
    onAnswer(answer, ...(isUndoable ? [{ isUndoable }] : []));
  };
  const allow = (always?: number) =>
    send({ decision: "allow", ...(isChanged ? { input } : {}), ...(always === undefined ? {} : { always }) }, graves.length > 0);
  // A denial with a reason is deliberate; one without may be a slip of the finger.
  const deny = (stop: boolean) => {
    const why = draft.words.trim();
    send({ decision: "deny", ...(why ? { words: why } : {}), ...(stop ? { stop: true } : {}) }, why === "");
  };

  return (
    <div ref={root} className="ab-approval">
      <Summary text={approval.summary} />
      {isOverrule && isAnswerable && !ask.stranded && <p className="ab-quiet">{words.overruleNote}</p>}
      {isAnswerable && <Risks risks={risks} hint />}
      <EndsProvider value={ends.lookout}>
        {isAnswerable && isEditing ? (
          <EditInput
            editable={editable}
            text={draft.text ?? editable.text}
            fault={fault}
            onText={(text) => change((half) => ({ ...half, text }))}
            onClose={() => {
              change((half) => ({ ...half, text: null }));
              setEditing(false);
            }}
          />
        ) : (
          <Suspense
            fallback={
              <pre className="ab-code">
                <Seen text={editable.text} />
                <End isPreliminary />
              </pre>
            }
          >
            <Input tool={approval.tool} input={approval.input} folder={ask.context?.folder} />
          </Suspense>
        )}
      </EndsProvider>
      {approval.reason && (
        <p className="ab-reason">
          <strong>{isOverrule ? words.overruleReason : words.reason}:</strong> <Seen text={approval.reason} />
        </p>
      )}
      {!isAnswerable ? (
        <Decided ask={ask} given={given} saved={saved} />
      ) : (
        <Foot
          {...leaving}
          ask={ask}
          onDismiss={onDismiss}
          note={
            (graves.length > 0 || unread?.state === "hidden") && (
              <>
                <Graves graves={graves} />
                <span role="status">{unread?.state === "hidden" ? words.readToTheEnd : ""}</span>
              </>
            )
          }
          panel={
            panel === "always" ? (
              <Suspense fallback={null}>
                <Always
                  ask={ask.id}
                  rules={approval.rules}
                  isOurs={isOurs}
                  ends={unread}
                  onAllow={allow}
                  onSaved={(rule) => {
                    setSaved(rule);
                    allow();
                  }}
                  onClose={close}
                />
              </Suspense>
            ) : panel === "deny" ? (
              <WordsPanel
                title={isOverrule ? words.leaveTitle : words.denyTitle}
                label={isOverrule ? words.leaveWords : words.denyWords}
                {...(isOverrule ? {} : { hint: words.denyStopHint })}
                words={draft.words}
                onWords={(said) => change((half) => ({ ...half, words: said }))}
                onClose={close}
                actions={
                  isOverrule
                    ? [{ label: words.leaveIt, tone: "stop", act: () => deny(false) }]
                    : [
                        { label: words.deny, tone: "stop", act: () => deny(false) },
                        { label: words.denyStop, tone: "plain", act: () => deny(true) },
                      ]
                }
              />
            ) : null
          }
        >
          <button type="button" className="ab-button" data-tone="stop-plain" data-opens="deny" onClick={() => open("deny")}>
            {isOverrule ? words.leaveMore : words.denyMore}
          </button>
          {!isEditing && !isTap(ask) && !isOverrule && (
            <button type="button" className="ab-button" data-tone="plain" onClick={() => setEditing(true)}>
              {words.edit}
            </button>
          )}
          {hasAlways && (
            <button
              type="button"
              className="ab-button"
              data-tone="plain"
              data-opens="always"
              disabled={fault !== null}
              onClick={() => open("always")}
            >
              {words.allowAlways}
            </button>
          )}
          <AllowButton
            label={isOverrule ? words.letIt : isChanged ? words.allowEdited : words.allowOnce}
            ends={unread}
            disabled={fault !== null}
            onAllow={() => allow()}
          />
        </Foot>
      )}
    </div>
  );
}
