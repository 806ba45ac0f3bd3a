/** What was decided without a person lately, to correct it; the decisions that people had remembered, to revoke them; and the rule files in force. */

import { useEffect, useState } from "react";
import { Trouble, type Ask, type Remembered, type Rules } from "@askbridge/client";
import { headlineOf, useBridge, useClient } from "@askbridge/react";
import { languageOf, useSettings } from "../settings.ts";
import { Link } from "../router.tsx";
import { clock, useNow } from "../time.ts";
import { useWords } from "../words.ts";
import { Button, Page } from "../parts/parts.tsx";
import { Unknown } from "../parts/Unknown.tsx";
import { byRule, isRemembered, placeOf } from "./digest.ts";
import { InForce } from "./InForce.tsx";
import { useRuleWords } from "./rule_words.ts";

/** How far back the digest goes. */
const SINCE_MS = 24 * 60 * 60 * 1000;
/** Asks that are read for it. Beyond: older ones are only in the history. */
const ASKS_MAX = 200;

export function RulesPage() {
  const words = { ...useWords(), ...useRuleWords() };
  const client = useClient();
  const isLive = useBridge((state) => state.connection.state === "live");
  const language = languageOf(useSettings());
  const now = useNow(30_000);
  const [ruled, setRuled] = useState<readonly Ask[] | null>(null);
  const [remembered, setRemembered] = useState<readonly Remembered[] | null>(null);
  const [inForce, setInForce] = useState<Rules | null>(null);
  const [asking, setAsking] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const at = (time: string) => clock(Date.parse(time), now, language);

  const tried = (work: () => Promise<void>) => work().then(() => setTrouble(null), (error) => setTrouble(error instanceof Trouble ? error.message : String(error)));
  const load = () => tried(async () => {
    const since = Date.now() - SINCE_MS;
    const { items } = await client.api.asks({ state: "ruled", limit: ASKS_MAX });
    setRuled(items.filter(({ settled_at }) => settled_at !== null && Date.parse(settled_at) >= since));
    setRemembered((await client.api.remembered()).items);
    setInForce(await client.api.rules());
  });
  useEffect(() => void (isLive && load()), [isLive]);
  const revoke = (id: string) => tried(async () => {
    await client.api.revokeRemembered(id);
    setAsking(null);
    await load();
  });

  return (
    <Page title={words.rules}>
      {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
      <section className="app-form app-section" aria-label={words.digest}>
        <h2>{words.digest}</h2>
        <p className="app-note">{words.digestMore}</p>
        {!ruled && !trouble && <Unknown />}
        {ruled?.length === 0 && <p className="app-note">{words.digestNone}</p>}
        {ruled && [...byRule(ruled)].map(([rule, asks]) => (
          <div key={rule}>
            <h3 className="app-row-title">{words.digestRule(isRemembered(rule) ? words.rememberedOne : rule, asks.length)}</h3>
            {placeOf(asks[0]) && <p className="app-row-more"><bdi>{placeOf(asks[0])}</bdi></p>}
            <ul className="app-list app-lean" aria-label={rule}>
              {asks.map((ask) => (
                <li key={ask.id} className="app-row">
                  <span className="app-row-body">
                    <span className="app-row-title">{headlineOf(ask)}</span>
                    <span className="app-row-more">{ask.agent} · {at(ask.settled_at ?? ask.asked_at)}</span>
                  </span>
                  {ask.late ? <span className="app-chip">{words.corrected}</span> : (
                    <Link className="app-button app-button-quiet" href={`/asks/${ask.id}`} aria-label={words.correctNamed(headlineOf(ask))}>{words.correct}</Link>
                  )}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </section>
      <section className="app-form app-section" aria-label={words.remembered}>
        <h2>{words.remembered}</h2>
        <p className="app-note">{words.rememberedMore}</p>
        {remembered?.[0]?.file && <p className="app-note app-place">{words.rememberedFile(remembered[0].file)}</p>}
        {remembered?.length === 0 && <p className="app-note">{words.rememberedNone}</p>}
        {remembered && remembered.length > 0 && (
          <ul className="app-list" aria-label={words.remembered}>
            {remembered.map((it) => (
              <li key={it.id} className="app-row">
                <span className="app-row-body">
                  <span className="app-row-title">{words.rememberedFor(it.do, it.about || it.tool)}</span>
                  <span className="app-row-more">{words.rememberedWhere(it.for)} · {words.rememberedUses(it.uses, it.last_used_at ? at(it.last_used_at) : null)}</span>
                  <span className="app-row-more">{words.rememberedUntil(it.person, at(it.made_at), it.until === null ? null : at(it.until))}</span>
                  <details><summary>{words.rememberedRule}</summary><pre className="app-code">{it.rule}</pre></details>
                </span>
                {asking === it.id ? (
                  <span className="app-sure">
                    <Button kind="stop" onClick={() => void revoke(it.id)}>{words.rememberedRevoke}</Button>
                    <Button kind="quiet" onClick={() => setAsking(null)}>{words.cancel}</Button>
                  </span>
                ) : <Button kind="quiet" onClick={() => setAsking(it.id)} aria-label={words.rememberedRevokeNamed(it.about || it.tool)}>{words.rememberedRevoke}</Button>}
              </li>
            ))}
          </ul>
        )}
      </section>
      {inForce && <InForce rules={inForce} at={at} />}
    </Page>
  );
}
