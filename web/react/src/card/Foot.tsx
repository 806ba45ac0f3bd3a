/** The foot of a card: secondary actions, and the main one. On a phone the main one stays in reach of a thumb. */

import { useRef, useState, type ReactNode } from "react";
import type { Ask } from "@askbridge/client";
import { useWords } from "../wording.tsx";
import { WordsPanel } from "./Words.tsx";

export interface FootProps {
  readonly ask: Ask;
  readonly onDismiss: (words?: string) => void;
  /** The draft of the words for a dismissal. */
  readonly parting: string;
  readonly onParting: (words: string) => void;
  /** Says what is missing, or how far the person is. */
  readonly note?: ReactNode;
  /** Another panel is open: the actions are hidden. */
  readonly panel?: ReactNode;
  readonly children: ReactNode;
}

export function Foot({ ask, onDismiss, parting: said, onParting, note, panel, children }: FootProps) {
  const words = useWords();
  const [open, setOpen] = useState<"dismiss" | "differently" | null>(null);
  const opener = useRef<HTMLButtonElement | null>(null);
  const isOpen = ask.state === "open";
  const close = () => {
    setOpen(null);
    opener.current?.focus();
  };
  const button = (which: "dismiss" | "differently", label: string) => (
    <button
      type="button"
      className="ab-button"
      data-tone="quiet"
      aria-expanded={open === which}
      onClick={(event) => {
        opener.current = event.currentTarget;
        setOpen(open === which ? null : which);
      }}
    >
      {label}
    </button>
  );
  const isDifferently = open === "differently";
  const dismissal = isDifferently ? [words.askDifferentlyTold, said.trim()].filter(Boolean).join(" ") : said.trim();
  return (
    <>
      {panel}
      {open && !panel && (
        <WordsPanel
          key={open}
          title={isDifferently ? words.askDifferentlyTitle : words.dismissTitle}
          label={isDifferently ? words.askDifferentlyWords : words.dismissWords}
          words={said}
          onWords={onParting}
          onClose={close}
          actions={[
            {
              label: isDifferently ? words.askDifferentlySend : words.dismissSend,
              tone: "main",
              act: () => onDismiss(dismissal || undefined),
            },
          ]}
        />
      )}
      <div className="ab-bottom">
        {isOpen && (
          <div className="ab-ways-out">
            <span className="ab-ways-out-rest">
              {ask.kind === "questions" && button("differently", words.askDifferently)}
              {button("dismiss", words.dismiss)}
            </span>
          </div>
        )}
        {!panel && !open && (
          <div className="ab-foot">
            <div className="ab-foot-note">{note}</div>
            <div className="ab-foot-main">{children}</div>
          </div>
        )}
      </div>
    </>
  );
}
