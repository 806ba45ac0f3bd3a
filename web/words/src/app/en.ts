/** What the web app says around the cards, in English. */
export const en = {
  inbox: "Inbox",
  waiting: (n: number) => (n === 1 ? "1 waits for you" : `${n} wait for you`),
  nothingWaits: "Nothing waits for you.",
};
