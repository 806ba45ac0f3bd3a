/** Who asks, where, since when, and how long there is to answer. */

import type { Ask } from "@askbridge/client";
import { isTap, toolName } from "../approval/tool.ts";
import { useNow } from "../now.ts";
import { Seen } from "../text/Seen.tsx";
import { stretch } from "../time.ts";
import { useWords } from "../wording.tsx";
import { Countdown } from "./Countdown.tsx";
import { Icon } from "./Icon.tsx";

export interface HeadProps {
  readonly ask: Ask;
  readonly titleId: string;
  readonly isWaiting: boolean;
  readonly onExtend: (seconds: number) => void;
}

export function Head({ ask, titleId, isWaiting, onExtend }: HeadProps) {
  const words = useWords();
  const now = useNow(isWaiting);
  const { machine } = ask;
  const { title, folder, branch } = ask.context ?? {};
  return (
    <header className="ab-head">
      <span className="ab-seal" aria-hidden="true">
        {[...ask.agent][0]?.toUpperCase() ?? "?"}
      </span>
      <div className="ab-head-names">
        <h2 id={titleId} className="ab-head-title" title={ask.kind === "approval" ? `${ask.agent} · ${ask.approval.tool}` : ask.agent}>
          <Seen text={headline(ask, words)} />
        </h2>
        {(machine || title || folder || branch || isWaiting) && (
          <p className="ab-head-place">
            {isWaiting && <span className="ab-waits">{words.waitsFor(stretch(now - Date.parse(ask.asked_at), words))}</span>}
            {machine && (
              <span title={machine}>
                <Icon of="machine" label={words.machine} />
                <bdi>
                  <Seen text={machine} />
                </bdi>
              </span>
            )}
            {title && (
              <span>
                <Seen text={title} />
              </span>
            )}
            {folder && (
              <span className="ab-mono" title={folder}>
                <Icon of="folder" label={words.folder} />
                <bdi>
                  <Seen text={shortFolder(folder)} />
                </bdi>
              </span>
            )}
            {branch && (
              <span className="ab-mono">
                <Icon of="branch" label={words.branch} />
                <Seen text={branch} />
              </span>
            )}
          </p>
        )}
        {isWaiting && ask.deadline !== null && <Countdown deadline={ask.deadline} onExtend={onExtend} />}
      </div>
    </header>
  );
}

/** How much of an agent's name is shown, so that its request still fits beside it. */
const NAME_CHARS = 40;

function shortName(agent: string): string {
  const characters = [...agent];
  return characters.length > NAME_CHARS ? `${characters.slice(0, NAME_CHARS).join("")}…` : agent;
}

function headline(ask: Ask, words: ReturnType<typeof useWords>): string {
  const agent = shortName(ask.agent);
  switch (ask.kind) {
    case "questions":
      return words.asks(agent);
    case "approval":
      if (isTap(ask)) return words.wantsATap;
      return (ask.approval.overrule ? words.wasRefused : words.wantsToRun)(agent, toolName(ask.approval.tool));
    case "plan":
      return words.hasAPlan(agent);
    case "form":
      return words.wantsDetails(agent);
  }
}

/** The end of a path tells more than its beginning. */
function shortFolder(folder: string): string {
  const steps = folder.split("/").filter(Boolean);
  return steps.length > 3 ? `…/${steps.slice(-2).join("/")}` : folder;
}
