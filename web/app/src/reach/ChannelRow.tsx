/** One channel: where it leads, a test, its removal, and what it rang. */

import { useState } from "react";
import { Trouble, type Channel, type Ring } from "@askbridge/client";
import { Seen, useClient } from "@askbridge/react";
import type { ReachWords } from "@askbridge/words";
import { languageOf, useSettings } from "../settings.ts";
import { useReachWords } from "../words.ts";
import { clock } from "../time.ts";
import { Link } from "../router.tsx";
import { Button } from "../parts/parts.tsx";
import { KindIcon, kindName } from "./kinds.tsx";
import { outcomeOf } from "./outcomes.ts";
import { Tells } from "./Tells.tsx";

/** How long a test waits for the tap. */
const TAP_SECONDS = 60;

type Tested = { readonly state: "idle" | "busy" | "sent" | "shown" | "not_seen" | "seen" } | { readonly state: "failed"; readonly why: string };

export function ChannelRow({ channel, rings, now, isHere, isPairing, onRemove, onChanged }: {
  readonly channel: Channel; readonly rings: readonly Ring[]; readonly now: number; readonly isHere: boolean; readonly isPairing: boolean;
  readonly onRemove: () => Promise<void>; readonly onChanged: (channel: Channel) => void;
}) {
  const words = useReachWords();
  const client = useClient();
  const language = languageOf(useSettings());
  const [tested, setTested] = useState<Tested>({ state: "idle" });
  const [isAsking, setAsking] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const { name, kind, paired } = channel;
  const saidOf = (error: unknown) => (error instanceof Trouble ? error.message : String(error));

  const test = async () => {
    setTested({ state: "busy" });
    try {
      const { state, why, can_be_tapped } = await client.api.testChannel(channel.id, TAP_SECONDS);
      if (state === "failed") setTested({ state, why: why ?? state });
      else if (state === "seen") setTested({ state });
      else setTested({ state: state === "delivered" ? "shown" : can_be_tapped ? "not_seen" : "sent" });
    } catch (error) {
      setTested({ state: "failed", why: saidOf(error) });
    }
  };
  const remove = () => onRemove().catch((error) => setTrouble(saidOf(error)));

  return (
    <li className="app-channel" aria-label={name}>
      <div className="app-channel-head">
        <KindIcon kind={kind} />
        <div className="app-channel-body">
          <p className="app-channel-name">
            <strong><Seen text={name} /></strong>
            {isHere && <span className="app-chip">{words.thisBrowser}</span>}
            {!paired && <span className="app-chip app-chip-waits">{words.notPaired}</span>}
          </p>
          <p className="app-note app-channel-to">
            {kind === "web_push" ? words.aBrowser : kindName(kind, words)}{paired && <> · <span className="app-hidden">{words.leadsTo("")}</span><Seen text={channel.to} /></>}
          </p>
          <p className="app-note">{traits(channel, words).join(" · ")}</p>
          {channel.broken && <p className="app-trouble">{words.broken(channel.broken.why, clock(Date.parse(channel.broken.since), now, language))}</p>}
          {!paired && !isPairing && <p className="app-note">{words.notPairedMore}</p>}
        </div>
        {isAsking ? null : (
          <span className="app-channel-acts">
            {paired && <Button disabled={tested.state === "busy"} aria-label={words.testNamed(name)} onClick={() => void test()}>{tested.state === "busy" ? words.testWaiting : words.test}</Button>}
            <Button kind="quiet" aria-label={words.removeNamed(name)} onClick={() => setAsking(true)}>{words.remove}</Button>
          </span>
        )}
      </div>
      {isAsking && (
        <div className="app-sign-out" role="group" aria-label={words.removeNamed(name)} onKeyDown={({ key }) => key === "Escape" && setAsking(false)}>
          <p>{words.removeSure(name)}</p>
          {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
          <span className="app-sure">
            <Button kind="stop" onClick={() => void remove()}>{words.removeNow}</Button>
            <Button kind="quiet" autoFocus onClick={() => setAsking(false)}>{words.cancel}</Button>
          </span>
        </div>
      )}
      <div role="status" className="app-channel-tested">
        {(tested.state === "sent" || tested.state === "busy") && <p className="app-well">{tested.state === "busy" ? words.testing : words.testSent}</p>}
        {tested.state === "seen" && <p className="app-well">{words.testSeen}</p>}
        {tested.state === "shown" && <p className="app-well">{words.testShown}</p>}
        {tested.state === "not_seen" && <p className="app-trouble">{words.testNotSeen}</p>}
        {tested.state === "failed" && <p className="app-trouble">{words.testFailed(tested.why)}</p>}
      </div>
      {paired && <Tells channel={channel} onChanged={onChanged} />}
      <Outcomes name={name} rings={rings} now={now} />
    </li>
  );
}

/** What it shows, what can be decided there, and when it is quiet. */
function traits({ content, decides, quiet }: Channel, words: ReachWords): string[] {
  const deciding = { nothing: words.decidesNothing, questions: words.decidesQuestions, approvals: words.decidesApprovals }[decides];
  return [content === "hidden" ? words.contentHidden : words.contentShown, deciding, ...(quiet ? [words.quietHours(quiet)] : [])];
}

function Outcomes({ name, rings, now }: { readonly name: string; readonly rings: readonly Ring[]; readonly now: number }) {
  const words = useReachWords();
  const language = languageOf(useSettings());
  const [newest] = rings;
  if (!newest) return <p className="app-note app-channel-rings">{words.noOutcomes}</p>;
  return (
    <details className="app-channel-rings">
      <summary aria-label={`${words.outcomesOf(name)}: ${outcomeOf(newest, now, words, language)}`}>
        <span className="app-rings-newest" data-state={newest.state}>{outcomeOf(newest, now, words, language)}</span>
        <span className="app-rings-title">{words.outcomes}</span>
      </summary>
      <ol className="app-outcomes" aria-label={words.outcomesOf(name)}>
        {rings.map((ring, at) => (
          <li key={at} data-state={ring.state}>
            <span><Seen text={outcomeOf(ring, now, words, language)} /></span>
            {ring.asks?.length === 1 && <Link href={`/asks/${ring.asks[0]}`}>{words.ringOpen}</Link>}
            {(ring.asks?.length ?? 0) > 1 && <span className="app-note">{words.ringOpenAll((ring.asks?.length ?? 0) + (ring.more ?? 0))}</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}
