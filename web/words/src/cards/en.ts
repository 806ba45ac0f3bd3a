/** What the cards and the inbox list of `@askbridge/react` say, in English. */
export const en = {
  answer: "Answer",
  answeredBy: (who: string, ago: string) => `Answered by ${who} ${ago}`,
};
