import type { Same } from "../shape.ts";
import type { en } from "./en.ts";

/** Why a node holds back, which the server says in English. */
const reasons: Readonly<Record<string, string>> = {
  "the journal cannot be reached": "ジャーナルに接続できません",
  "the clock of this machine is off": "このマシンの時計がずれています",
};

/** What the web app says about the nodes that share a journal, in Japanese. */
export const ja: Same<typeof en> = {
  title: "クラスター",
  entry: "この受信箱を共有するノードと、その状態です。",
  entryOpen: "ノード",
  back: "設定",

  howMany: (nodes, down) => `${nodes} 台のノードがこの受信箱を共有しています。${down === 0 ? "すべて稼働中です。" : `${down} 台が停止しています。`}`,
  anyNode: "どのノードからでも回答できます。エージェントはそのうちの 1 台だけで動きます。",
  alone: "このサーバーはジャーナルを共有していません。ジャーナルを NATS に置くと複数のノードで共有できます。ドキュメントの「cluster」をご覧ください。",
  onlyOperators: "ノードを見られるのは operator だけです。",
  notFresh: (why) => `ノードの状態を取得できませんでした：${why}`,
  holdsBack: (node, why) => `${node} は期限の処理も呼び出しも行いません：${reasons[why] ?? why}。ほかのノードが行います。`,

  nodes: "ノード一覧",
  here: "このページの接続先",
  up: "稼働中",
  down: "停止中",
  downSince: (time) => `${time} から停止中`,
  downMeans: (node) => `${node} のエージェントの質問はここに残っていて、回答できます。回答は復帰後にエージェントへ届きます。`,
  downDo: (node) => `${node} で askbridge をもう一度起動してください。加わったかどうかは、そこで \`askbridge cluster status\` を実行すると分かります。`,
  forget: "もう復帰しません",
  forgetNamed: (node) => `もう復帰しません：${node}`,
  forgetMeans: (node) =>
    `${node} を完全に廃止します。そのエージェントは戻りません。未回答の質問は残り、回答はメッセージになります。もし再び起動した場合は、自分のエージェントを終了し、別のノードとして加わります。`,
  forgetNow: "廃止する",
  forgotten: (node, sessions, asks) => `${node} を廃止しました（会話 ${sessions} 件、未回答の質問 ${asks} 件）。`,
  clockOff: "時計がずれているため、期限の処理も呼び出しも行いません。時計を合わせてください。",

  labels: "ラベル",
  address: "アドレス",
  version: "バージョン",
  upSince: "起動した日時",
  agents: "エージェント",
  agentsOf: (n, max) => `${n} / ${max}`,
  agentsWere: (n) => `${n}（最後に確認した時点）`,
  connections: "接続数",
  index: "インデックス",
  indexCurrent: "最新",
  indexBehind: (n) => `${n} 件の遅れ`,
  clock: "時計",
  clockRight: "正常",
  clockAhead: (seconds) => `${seconds} 秒進んでいます`,
  clockBehind: (seconds) => `${seconds} 秒遅れています`,
  folders: "フォルダー",
  id: "識別子",

  node: "ノード",
  nodeAny: "フォルダーのあるノード",
  nodeDown: (node) => `${node}（停止中）`,
  nodeGone: (node) => `${node}（廃止）`,
  nodeLabelled: (node, labels) => `${node}（${labels}）`,
  nodeMore: "エージェントが動くノードです。ファイルとログイン情報はそこにあります。",
  foldersThere: (node) => `${node} では、エージェントは次のフォルダー以下で作業できます。`,
  typeFolder: (node) => `${node} のフォルダーを入力してください。ほかのノードのフォルダーはここから参照できません。`,
};
