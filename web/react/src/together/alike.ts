/** Which approvals ask for the same kind of thing, so that they can be decided in one go. */

import type { ApprovalAsk, AskView } from "@askbridge/client";
import { gravesOf } from "../approval/risk.ts";

export type ApprovalView = AskView & { readonly ask: ApprovalAsk };

const isApproval = (view: AskView): view is ApprovalView => view.ask.kind === "approval";

/** The same agent wants the same tool in the same folder. */
const kinOf = ({ ask }: ApprovalView): string => JSON.stringify([ask.agent, ask.approval.tool, ask.context?.folder ?? null]);

/** Approvals that wait and are of one kin, in the order in which they are given; kin of one alone are left out. */
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

/** Everything of the same kin as one ask, whether it waits or not. */
export function kinTo(views: Iterable<AskView>, id: string): ApprovalView[] {
  const all = [...views].filter(isApproval);
  const one = all.find((view) => view.id === id);
  return one ? all.filter((view) => kinOf(view) === kinOf(one)) : [];
}

/** Something about it should be looked at by itself before it is ticked. */
export const isGrave = ({ ask }: ApprovalView): boolean => gravesOf(ask).length > 0;
