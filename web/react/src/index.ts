/** The public face of `@askbridge/react`. Its looks are in `@askbridge/react/theme.css`. */

export { AskCard } from "./AskCard/AskCard.tsx";
export type { AskCardProps } from "./AskCard/AskCard.tsx";
export { Askbridge, useAsk, useBridge, useClient, useInbox, useLanguage } from "./hooks.tsx";
