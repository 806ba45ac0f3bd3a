/** Switches for what a channel tells of besides asks. */

import { useState } from "react";
import { Trouble, type Channel, type NewsKind } from "@askbridge/client";
import { useClient } from "@askbridge/react";
import { useReachWords } from "../words.ts";
import { aboutInWords, tellable } from "./tells.ts";

export function Tells({ channel, onChanged }: { readonly channel: Channel; readonly onChanged: (channel: Channel) => void }) {
  const words = useReachWords();
  const client = useClient();
  const [trouble, setTrouble] = useState<string | null>(null);
  const set = async (kind: NewsKind, isOn: boolean) => {
    const others = channel.tells.filter((told) => told !== kind);
    setTrouble(null);
    try {
      onChanged(await client.api.changeChannel(channel.id, { tells: isOn ? [...others, kind] : others }));
    } catch (error) {
      setTrouble(error instanceof Trouble ? error.message : String(error));
    }
  };
  return (
    <details className="app-channel-rings">
      <summary aria-label={`${words.tells}: ${channel.name}`}><span className="app-rings-title">{words.tells}</span></summary>
      <ul className="app-tells">
        {tellable(channel.kind).map((kind) => (
          <li key={kind}>
            <label><input type="checkbox" checked={channel.tells.includes(kind)} onChange={({ target }) => void set(kind, target.checked)} /> {aboutInWords(kind, words)}</label>
          </li>
        ))}
      </ul>
      {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
    </details>
  );
}
