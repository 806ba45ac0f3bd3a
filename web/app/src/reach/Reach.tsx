/** Settings, “How you are reached”: the person's channels, what each rang, and a form for another one. */

import { useEffect, useRef, useState } from "react";
import { Trouble, type Channel, type Ring } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";
import { useNow } from "../time.ts";
import { useReachWords } from "../words.ts";
import { Link } from "../router.tsx";
import { BridgeMark, Button, Page } from "../parts/parts.tsx";
import { Unknown } from "../parts/Unknown.tsx";
import { AddChannel } from "./AddChannel.tsx";
import { ChannelRow } from "./ChannelRow.tsx";
import { ringsOf } from "./outcomes.ts";
import { Pairing } from "./Pairing.tsx";
import { endSubscription, keptPush } from "./web_push.ts";
import "./reach.css";

/** How often what was rung is read again, while the page is visible. */
const RINGS_MS = 5_000;

export function ReachPage() {
  const words = useReachWords();
  const client = useClient();
  const isLive = useBridge((state) => state.connection.state === "live");
  const changed = useBridge((state) => state.channelsChanged);
  const now = useNow(15_000);
  const [channels, setChannels] = useState<readonly Channel[] | null>(null);
  const [rings, setRings] = useState<readonly Ring[]>([]);
  const [isAdding, setAdding] = useState(false);
  /** The channel that was just added, with its code if it has to be paired. */
  const [added, setAdded] = useState<Channel | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const addButton = useRef<HTMLButtonElement>(null);

  const load = async () => {
    try {
      const [listed, rung] = await Promise.all([client.api.channels(), client.api.rings()]);
      setChannels(listed.items);
      setRings(rung.items);
      setTrouble(null);
    } catch (error) {
      setTrouble(error instanceof Trouble ? error.message : String(error));
    }
  };
  useEffect(() => {
    if (!isLive) return;
    void load();
    const timer = setInterval(() => document.visibilityState === "visible" && void load(), RINGS_MS);
    return () => clearInterval(timer);
  }, [isLive, changed]);

  const close = () => {
    setAdding(false);
    requestAnimationFrame(() => addButton.current?.focus());
  };
  const remove = async (channel: Channel) => {
    await client.api.removeChannel(channel.id);
    if (keptPush()?.channel === channel.id) await endSubscription();
    setChannels((listed) => listed?.filter(({ id }) => id !== channel.id) ?? null);
    if (added?.id === channel.id) setAdded(null);
    requestAnimationFrame(() => addButton.current?.focus());
  };
  const pairing = added?.pair ? added : null;
  const isPaired = channels?.find(({ id }) => id === pairing?.id)?.paired ?? false;

  return (
    <Page title={words.title} actions={!isAdding && <button ref={addButton} type="button" className="app-button app-button-main" onClick={() => { setAdding(true); setAdded(null); }}>{words.add}</button>}>
      <p className="app-reach-back"><Link className="app-button app-button-quiet" href="/settings">‹ {words.back}</Link></p>
      <p className="app-note app-reach-intro">{words.intro}</p>
      {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
      {isAdding && (
        <AddChannel taken={channels?.map(({ name }) => name) ?? []} onCancel={close}
          onAdded={(channel) => {
            setAdded(channel);
            close();
            void load();
          }} />
      )}
      {pairing?.pair && <Pairing key={pairing.id} channel={pairing} pair={pairing.pair} isPaired={isPaired} onDone={() => setAdded(null)} />}
      <p className="app-reach-said" role="status">{added && !added.pair ? words.added(added.name) : ""}</p>
      {channels === null && !trouble && <Unknown />}
      {channels?.length === 0 && !isAdding && (
        <div className="app-empty app-reach-empty">
          <BridgeMark />
          <p className="app-empty-title">{words.none}</p>
          <p>{words.noneMore}</p>
          <Button onClick={() => setAdding(true)}>{words.add}</Button>
        </div>
      )}
      {channels !== null && channels.length > 0 && (
        <ul className="app-list" aria-label={words.yours}>
          {channels.map((channel) => (
            <ChannelRow key={channel.id} channel={channel} rings={ringsOf(channel, rings)} now={now} isHere={keptPush()?.channel === channel.id}
              isPairing={pairing?.id === channel.id} onRemove={() => remove(channel)}
              onChanged={(changed) => setChannels((listed) => listed?.map((one) => (one.id === changed.id ? changed : one)) ?? null)} />
          ))}
        </ul>
      )}
    </Page>
  );
}
