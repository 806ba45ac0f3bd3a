/** Sends a message to the agent. While an ask is open it says so, and asks what the message is for. */

import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import type { AskView, Because, Conversation } from "@askbridge/client";
import { headlineOf, useClient } from "@askbridge/react";
import { useWords } from "../words.ts";
import { Button } from "../parts/parts.tsx";
import { inWords } from "../parts/in_words.ts";

export function Composer({ session, conversation, open }: {
  readonly session: string; readonly conversation: Conversation; readonly open: AskView | null;
}) {
  const words = useWords();
  const client = useClient();
  const key = `askbridge.composer.${session}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? "");
  const [trouble, setTrouble] = useState<Because | null>(null);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (text) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
  }, [key, text]);
  useEffect(() => {
    const box = field.current;
    if (!box) return;
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight + 2, window.innerHeight * 0.4)}px`;
  }, [text]);

  const known = conversation.session;
  if (!known || known.state !== "active") return <p className="app-composer app-note">{words.conversationOver}</p>;
  const said = text.trim();
  const say = async () => {
    if (!said || busy) return;
    setBusy(true);
    const because = await client.say(session, said);
    setBusy(false);
    setTrouble(because);
    if (!because) setText("");
    field.current?.focus();
  };
  const answer = () => {
    if (!open || !said) return;
    const reply = inWords(open.ask, said);
    if (reply) client.answer(open.id, reply);
    else client.dismiss(open.id, said);
    setText("");
  };
  const pressed = (event: KeyboardEvent) => {
    // An input method uses Enter itself; Safari reports that only by the old key code.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return;
    // With an ask open, Enter alone must not decide what the message is for.
    if (open && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    void say();
  };
  return (
    <div className="app-composer">
      {open && <p className="app-composer-open"><span className="app-chip app-chip-waits">{words.askIsOpen}</span> <span className="app-row-title">{headlineOf(open.ask)}</span></p>}
      {trouble && <p className="app-trouble" role="alert">{trouble.code === "unreachable" ? words.notSent : trouble.detail}</p>}
      <div className="app-composer-row">
        <textarea ref={field} className="app-input" rows={1} value={text} aria-label={words.message} placeholder={open ? words.messageWhileOpen : words.message}
          onChange={({ target }) => setText(target.value)} onKeyDown={pressed} />
        {open ? (
          <div className="app-composer-choice">
            <Button kind="main" disabled={!said} onClick={answer}>{asAnswer(open, words)}</Button>
            <Button disabled={!said || busy} onClick={() => void say()}>{words.sendAfterwards}</Button>
          </div>
        ) : <Button kind="main" disabled={!said || busy} onClick={() => void say()}>{words.send}</Button>}
      </div>
    </div>
  );
}

function asAnswer({ ask }: AskView, words: ReturnType<typeof useWords>): string {
  switch (ask.kind) {
    case "questions": return ask.questions.length === 1 ? words.sendAsAnswer : words.closeWithWords;
    case "approval": return words.denyWithWords;
    case "plan": return words.sendBackWithWords;
    case "form": return words.declineWithWords;
  }
}
