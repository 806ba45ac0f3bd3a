import type { Same } from "../shape.ts";
import type { en } from "./en.ts";

/** What the web app says around the cards, in Japanese. */
export const ja: Same<typeof en> = {
  inbox: "受信箱",
  waiting: (n) => `${n} 件があなたを待っています`,
  nothingWaits: "待っている質問はありません。",
};
