import type { Same } from "../shape.ts";
import type { en } from "./en.ts";

/** What the cards and the inbox list of `@askbridge/react` say, in Japanese. */
export const ja: Same<typeof en> = {
  answer: "回答する",
  answeredBy: (who, ago) => `${who} が${ago}に回答しました`,
};
