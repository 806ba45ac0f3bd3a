/** What is said about rules, on cards and on their page, in Japanese. Loaded when it is needed. */

import type { Same } from "../shape.ts";
import type { en } from "./en.ts";

export const ja: Same<typeof en> = {
  // On a card
  alwaysTheirs: "エージェント自身のルール",
  alwaysTheirSession: "Claude Code がセッションの終わりまで保持します。ファイルには書きません。",
  alwaysOurs: "askbridge のルール",
  alwaysExactly: "この呼び出しだけ",
  alwaysExactlyMore: "少しでも違う呼び出しは、また確認します。",
  ruleWhere: "範囲",
  ruleInSession: "この会話",
  ruleInProject: "このプロジェクト",
  ruleEverywhere: "すべての場所",
  ruleUntil: "期限",
  ruleToday: "今日の終わりまで",
  ruleWeek: "7 日間",
  ruleMonth: "30 日間",
  ruleForGood: "無期限",
  offer: "このためのルール",
  offerTimes: (what, chosen, times) => `${{ allow: "「許可」", deny: "「拒否」" }[what] ?? `「${chosen}」`}を ${times} 回続けて選びました。`,
  offerMore: (where) => `今後 30 日間、このルールが同じように決めます。範囲：${where}`,
  offerSave: "このルールを保存",
  offerSaved: (file) =>
    `保存しました。次からはこのルールが決めます。${file === null ? "" : `askbridge が ${file} に表示します。`}「設定」→「ルール」で取り消せます。`,

  // Their page
  digest: "人なしで決まったこと",
  digestMore: "直近 24 時間です。訂正はメッセージとしてエージェントに届きます。",
  digestNone: "人なしで決まったことはありません。",
  digestRule: (rule, n) => `${rule}：${n} 件`,
  correct: "訂正",
  correctNamed: (what) => `訂正：${what}`,
  corrected: "訂正済み",
  remembered: "記憶された決定",
  rememberedOne: "記憶された決定のひとつ",
  rememberedMore: "それぞれ、まったく同じ呼び出しや質問を、確認なしで同じように決めます。許可カードの「常に許可…」で作れます。",
  rememberedFile: (file) => `${file} に表示されます。このファイルは写しで、変更しても効果はありません。`,
  rememberedNone: "記憶された決定はありません。",
  inForce: "ルールファイル",
  inForceNone: "ルールファイルはありません。記憶された決定がなければ、人に確認します。",
  inForceFile: (file, since) => (since === null ? `ファイル：${file}` : `${file}（${since} に読み込み）`),
  inForceAll: (n) => `設定のルールと記憶された決定を含めて、全部で ${n} 件のルールが有効です。`,
  inForceWaits: "許可や回答をするルールは、あなたの確認を待っています。カードに表示されます。",
  inForceBefore: "今のファイルは読めません。前に読めたルールがそのまま有効です。",
  inForceProject: (file, n, trusted) => `${file}：${n} 件のルールが有効${trusted ? "（信頼済み）" : "（厳しくするだけ）"}。`,
  inForceProjectProblems: "有効でないもの：",
  inForceGobby: (folder, active, inactive) => `${folder} の gobby のルール：${active} 件が動作、${inactive} 件は gobby 自体が必要です。`,
  rememberedFor: (what, about) => `${{ allow: "許可", deny: "拒否", answer: "回答" }[what] ?? what}：${about}`,
  rememberedWhere: (where) => `範囲：${{ session: "一つの会話", project: "一つのプロジェクト", everywhere: "すべての場所" }[where] ?? where}`,
  rememberedUses: (n, last) => (last === null ? "まだ使われていません" : `使用 ${n} 回、最後は ${last}`),
  rememberedUntil: (person, made, until) => `${person} が ${made} に記憶、${until === null ? "無期限" : `${until} まで`}`,
  rememberedRule: "ルールの内容",
  rememberedRevoke: "取り消す",
  rememberedRevokeNamed: (about) => `取り消す：${about}`,
};
