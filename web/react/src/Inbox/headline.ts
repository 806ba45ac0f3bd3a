/** What an ask is about, in one line. */

import type { Ask } from "@askbridge/client";
import { meaningOf } from "../approval/tool.ts";

const CHARS_MAX = 300;

export function headlineOf(ask: Ask): string {
  return whole(ask).replace(/\s+/g, " ").trim().slice(0, CHARS_MAX);
}

function whole(ask: Ask): string {
  switch (ask.kind) {
    case "questions":
      return ask.questions[0]?.question ?? "";
    case "approval": {
      const meaning = meaningOf(ask.approval.tool, ask.approval.input);
      if (meaning.kind === "command") return `${ask.approval.tool}: ${meaning.command}`;
      if (meaning.kind === "change") return `${ask.approval.tool}: ${meaning.file}`;
      return ask.approval.summary ?? ask.approval.tool;
    }
    case "plan":
      return (ask.plan.split("\n").find((line) => line.trim() !== "") ?? "").replace(/^#+\s*/, "");
    case "form":
      return ask.form.message;
    default:
      return (ask as { id: string }).id;
  }
}
