import type { Ask } from "@askbridge/client";

/** An ask in one line. */
export function headline(ask: Ask): string {
  switch (ask.kind) {
    case "questions": return ask.questions[0]?.question ?? "";
    case "approval": return ask.approval.summary ?? ask.approval.tool;
    case "plan": return ask.plan.split("\n").find((line) => line.trim())?.replace(/^#+\s*/, "") ?? "";
    case "form": return ask.form.message;
  }
}
