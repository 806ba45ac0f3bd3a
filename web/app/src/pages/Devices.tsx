/** The person's devices: which there are, how to send one away, how to bring in another. */

import { lazy, Suspense, useEffect, useState } from "react";
import { Trouble, type OwnDevice } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";
import { languageOf, useSettings } from "../settings.ts";
import { clock, useNow } from "../time.ts";
import { useWords } from "../words.ts";
import { Button, Page } from "../parts/parts.tsx";

const Qr = lazy(() => import("../parts/Qr.tsx"));

const isLoopback = /^(localhost|127\.|\[::1\])/.test(location.hostname);

export function DevicesPage() {
  const words = useWords();
  const client = useClient();
  const isLive = useBridge((state) => state.connection.state === "live");
  const language = languageOf(useSettings());
  const now = useNow(1_000);
  const [devices, setDevices] = useState<readonly OwnDevice[] | null>(null);
  const [link, setLink] = useState<{ href: string; until: number } | null>(null);
  const [asking, setAsking] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);

  const tried = (work: () => Promise<void>) => work().then(() => setTrouble(null), (error) => setTrouble(error instanceof Trouble ? error.message : String(error)));
  const load = () => tried(async () => setDevices((await client.api.devices()).items));
  useEffect(() => void (isLive && load()), [isLive]);
  const add = () => tried(async () => {
    const { secret, expires_at } = await client.api.linkDevice();
    setLink({ href: `${location.origin}/#pair=${secret}`, until: Date.parse(expires_at) });
  });
  const revoke = (id: string) => tried(async () => {
    await client.api.revoke(id);
    setAsking(null);
    await load();
  });
  const isFresh = link !== null && link.until > now;

  return (
    <Page title={words.devices} actions={<Button kind="main" onClick={add}>{words.addDevice}</Button>}>
      {trouble && <p className="app-trouble" role="alert">{trouble}</p>}
      {isFresh && (
        <section className="app-pairing" aria-label={words.addDevice}>
          <Suspense fallback={<div className="app-qr" />}><Qr text={link.href} label={words.qrLabel} /></Suspense>
          <div>
            <p>{words.scanThis}</p>
            <p className="app-note">{words.linkUntil(Math.max(1, Math.round((link.until - now) / 60_000)))}</p>
            {isLoopback && <p className="app-note">{words.loopbackLink}</p>}
            <label className="app-field"><span>{words.orOpenLink}</span>
              <input className="app-input" readOnly value={link.href} onFocus={({ target }) => target.select()} />
            </label>
          </div>
        </section>
      )}
      {!devices && !trouble && <p className="app-note" role="status">{words.looking}</p>}
      {devices && (
        <ul className="app-list" aria-label={words.devices}>
          {devices.map((device) => (
            <li key={device.id} className="app-row">
              <span className="app-row-body">
                <span className="app-row-title">{device.device}</span>
                <span className="app-row-more">{words.pairedAt(clock(Date.parse(device.paired_at), now, language))}</span>
              </span>
              {device.current && <span className="app-chip">{words.thisDevice}</span>}
              {asking === device.id ? (
                <span className="app-sure">
                  <Button kind="stop" onClick={() => void revoke(device.id)}>{words.revokeNow}</Button>
                  <Button kind="quiet" onClick={() => setAsking(null)}>{words.cancel}</Button>
                </span>
              ) : (
                <Button kind="quiet" onClick={() => setAsking(device.id)} aria-label={words.revokeNamed(device.device)}>{words.revoke}</Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Page>
  );
}
