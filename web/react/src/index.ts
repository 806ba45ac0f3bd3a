/** The exports of `@askbridge/react`. Its styles are in `@askbridge/react/theme.css`. */

export { AskCard } from "./AskCard/AskCard.tsx";
export type { AskCardProps } from "./AskCard/AskCard.tsx";
export type { CardRules } from "./card/rules.ts";
export { chooseByKey, isTyping } from "./AskCard/into_question.ts";
export { Preparing } from "./AskCard/Preparing.tsx";
export {
  Ask,
  Askbridge,
  useAsk,
  useAskActions,
  useBridge,
  useComplete,
  useClient,
  useInbox,
  useIsPreparing,
  useLanguage,
  useLingeringInbox,
} from "./hooks.tsx";
export { loadCards } from "./later.ts";
export { hostDown } from "./card/host_down.ts";
export { Inbox } from "./Inbox/Inbox.tsx";
export type { InboxProps } from "./Inbox/Inbox.tsx";
export { headlineOf } from "./Inbox/headline.ts";
export { Markdown } from "./Markdown/Markdown.tsx";
export type { MarkdownProps } from "./Markdown/Markdown.tsx";
export { useAhead, useNow } from "./now.ts";
export { toolName } from "./approval/tool.ts";
export { Together } from "./together/Together.tsx";
export type { TogetherProps } from "./together/Together.tsx";
export { alike, kinTo } from "./together/alike.ts";
export { Seen } from "./text/Seen.tsx";
export { hidesSomething } from "./text/visible.ts";
