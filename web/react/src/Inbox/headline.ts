/** The headline of an ask, in one line. */

import type { Ask } from "@askbridge/client";
import { subjectOf, toolName } from "../approval/tool.ts";

const CHARS_MAX = 300;

export function headlineOf(ask: Ask): string {
  return whole(ask).replace(/\s+/g, " ").trim().slice(0, CHARS_MAX);
}

function whole(ask: Ask): string {
  switch (ask.kind) {
    case "questions":
      return ask.questions[0]?.question ?? "";
    case "approval": {
      const subject = subjectOf(ask.approval.input);
      return subject === null
        ? (ask.approval.summary ?? toolName(ask.approval.tool))
        : `${toolName(ask.approval.tool)}: ${subject.slice(0, CHARS_MAX)}`;
    }
    case "plan":
      return (ask.plan.split("\n").find((line) => line.trim() !== "") ?? "").replace(/^#+\s*/, "");
    case "form":
      return ask.form.message;
    default:
      return (ask as { id: string }).id;
  }
}
