/** Reasons that the server gives for not ringing, which it says in English, in Japanese. */
export const heldInJapanese: Readonly<Record<string, string>> = {
  "you are at a terminal of this machine": "このマシンの端末を使用中です",
  "you look at it": "このカードを見ています",
  "you have snoozed it": "後回しにしています",
  "these are quiet hours": "静かな時間帯です",
  "an answer is about to count": "回答がまもなく確定します",
};
