/** Groups approvals that ask for the same kind of thing, so that they can be decided together. */

import type { ApprovalAsk, AskView } from "@askbridge/client";
import { gravesOf } from "../approval/risk.ts";

export type ApprovalView = AskView & { readonly ask: ApprovalAsk };

/** A denial is overruled by itself: what was denied needs a look of its own. */
const isApproval = (view: AskView): view is ApprovalView => view.ask.kind === "approval" && view.ask.approval.overrule !== true;

/** The group: the same agent, tool and folder. */
const kinOf = ({ ask }: ApprovalView): string => JSON.stringify([ask.agent, ask.approval.tool, ask.context?.folder ?? null]);

/** Returns the groups of open approvals, in the given order; groups of one are left out. */
export function alike(views: Iterable<AskView>): ApprovalView[][] {
  const kin = new Map<string, ApprovalView[]>();
  for (const view of views) {
    if (!isApproval(view) || view.ask.state !== "open" || view.sending.state !== "idle") continue;
    const key = kinOf(view);
    const known = kin.get(key);
    if (known) known.push(view);
    else kin.set(key, [view]);
  }
  return [...kin.values()].filter((group) => group.length > 1);
}

/** Returns all approvals of the same group as one ask, open or not. */
export function kinTo(views: Iterable<AskView>, id: string): ApprovalView[] {
  const all = [...views].filter(isApproval);
  const one = all.find((view) => view.id === id);
  return one ? all.filter((view) => kinOf(view) === kinOf(one)) : [];
}

/** Should it be looked at by itself before it is ticked? */
export const isGrave = ({ ask }: ApprovalView): boolean => gravesOf(ask).length > 0;
