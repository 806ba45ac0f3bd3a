/** Binds a Telegram or Slack chat to the person: the code, until it has arrived. */

import { lazy, Suspense, useEffect, useRef, useState } from "react";
import type { Channel, ChannelPairing } from "@askbridge/client";
import { useReachWords } from "../words.ts";
import { Button } from "../parts/parts.tsx";

const Qr = lazy(() => import("../parts/Qr.tsx"));

/** How long the server accepts the code. */
const VALID_MS = 15 * 60_000;

export function Pairing({ channel, pair, isPaired, onDone }: {
  readonly channel: Channel; readonly pair: ChannelPairing; readonly isPaired: boolean; readonly onDone: () => void;
}) {
  const words = useReachWords();
  const [isLate, setLate] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    title.current?.focus();
    const timer = setTimeout(() => setLate(true), VALID_MS);
    return () => clearTimeout(timer);
  }, []);
  const isTelegram = channel.kind === "telegram";
  return (
    <section className="app-pairing" aria-labelledby="pair-title">
      {pair.link && !isPaired && !isLate && <Suspense fallback={<div className="app-qr" />}><Qr text={pair.link} label={words.pairQr} /></Suspense>}
      <div>
        <h2 id="pair-title" ref={title} tabIndex={-1}>{isPaired ? words.paired(channel.name) : isTelegram ? words.pairTelegram : words.pairSlack}</h2>
        {!isPaired && !isLate && (
          <>
            {pair.link ? (
              <>
                <p className="app-note">{words.pairTelegramMore}</p>
                <label className="app-field"><span>{words.pairLink}</span>
                  <input className="app-input" readOnly value={pair.link} onFocus={({ target }) => target.select()} />
                </label>
              </>
            ) : (
              <>
                <pre className="app-reach-type">/askbridge {pair.code}</pre>
                <p className="app-note">{words.pairSlackMore}</p>
              </>
            )}
          </>
        )}
        <p role="status" className={isLate && !isPaired ? "app-trouble" : "app-note"}>{isPaired ? "" : isLate ? words.pairLate : words.pairWaiting}</p>
        <div className="app-form-end app-form-start">
          {pair.link && !isPaired && !isLate && <a className="app-button app-button-plain" href={pair.link} target="_blank" rel="noreferrer">{words.pairOpen}</a>}
          <Button kind={isPaired ? "main" : "quiet"} onClick={onDone}>{isPaired ? words.pairDone : words.pairClose}</Button>
        </div>
      </div>
    </section>
  );
}
