/** The person's devices, and the machines that they connected: lists them, removes one, pairs another. */

import { lazy, Suspense, useEffect, useState, type FormEvent } from "react";
import { Trouble, type OwnDevice } from "@askbridge/client";
import { useBridge, useClient } from "@askbridge/react";
import { languageOf, useSettings } from "../settings.ts";
import { clock, useNow } from "../time.ts";
import { useWords } from "../words.ts";
import { Button, Page } from "../parts/parts.tsx";
import { Unknown } from "../parts/Unknown.tsx";

const Qr = lazy(() => import("../parts/Qr.tsx"));

const isLoopback = /^(localhost|127\.|\[::1\])/.test(location.hostname);

export function DevicesPage() {
  const words = useWords();
  const client = useClient();
  const isLive = useBridge((state) => state.connection.state === "live");
  const changed = useBridge((state) => state.devicesChanged);
  const language = languageOf(useSettings());
  const now = useNow(1_000);
  const [devices, setDevices] = useState<readonly OwnDevice[] | null>(null);
  const [link, setLink] = useState<{ href: string; until: number } | null>(null);
  const [asking, setAsking] = useState<string | null>(null);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);

  const tried = (work: () => Promise<void>) => work().then(() => setTrouble(null), (error) => setTrouble(error instanceof Trouble ? error.message : String(error)));
  const load = () => tried(async () => setDevices((await client.api.devices()).items));
  // Another device may have paired, removed or renamed one.
  useEffect(() => void (isLive && load()), [isLive, changed]);
  const add = () => tried(async () => {
    const { secret, expires_at } = await client.api.linkDevice();
    setLink({ href: `${location.origin}/#pair=${secret}`, until: Date.parse(expires_at) });
  });
  const revoke = (id: string) => tried(async () => {
    await client.api.revoke(id);
    setAsking(null);
    await load();
  });
  const rename = (id: string, name: string) => tried(async () => {
    await client.api.rename(id, name);
    setRenaming(null);
    await load();
  });
  const since = ({ is_machine, paired_at, last_used_at }: OwnDevice) => {
    const at = clock(Date.parse(paired_at), now, language);
    const used = last_used_at ? words.lastUsed(clock(Date.parse(last_used_at), now, language)) : null;
    return [is_machine ? words.connectedAt(at) : words.pairedAt(at), used].filter(Boolean).join(" · ");
  };
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
      {!devices && !trouble && <Unknown />}
      {devices && (
        <ul className="app-list app-devices" aria-label={words.devices}>
          {devices.map((device) => renaming === device.id ? (
            <li key={device.id} className="app-row"><Rename device={device} onSave={(name) => rename(device.id, name)} onClose={() => setRenaming(null)} /></li>
          ) : (
            <li key={device.id} className="app-row">
              <span className="app-row-body">
                <span className="app-row-title">{device.device}</span>
                <span className="app-row-more">{since(device)}</span>
              </span>
              {device.is_machine && <span className="app-chip">{words.aMachine}</span>}
              {device.current && <span className="app-chip">{words.thisDevice}</span>}
              {asking === device.id ? (
                <span className="app-sure">
                  <Button kind="stop" onClick={() => void revoke(device.id)}>{words.revokeNow}</Button>
                  <Button kind="quiet" onClick={() => setAsking(null)}>{words.cancel}</Button>
                </span>
              ) : (
                <span className="app-sure">
                  {!device.is_machine && (
                    <Button kind="quiet" onClick={() => setRenaming(device.id)} aria-label={words.renameNamed(device.device)}>{words.rename}</Button>
                  )}
                  <Button kind="quiet" onClick={() => setAsking(device.id)} aria-label={words.revokeNamed(device.device)}>{words.revoke}</Button>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Page>
  );
}

function Rename({ device, onSave, onClose }: { readonly device: OwnDevice; readonly onSave: (name: string) => Promise<void>; readonly onClose: () => void }) {
  const words = useWords();
  const [name, setName] = useState(device.device);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) void onSave(name.trim());
  };
  return (
    <form className="app-rename" onSubmit={save} onKeyDown={({ key }) => key === "Escape" && onClose()}>
      <input className="app-input" autoFocus maxLength={64} required value={name} aria-label={words.deviceName} onChange={({ target }) => setName(target.value)} onFocus={({ target }) => target.select()} />
      <span className="app-sure">
        <button className="app-button app-button-main" disabled={!name.trim()}>{words.renameNow}</button>
        <Button kind="quiet" onClick={onClose}>{words.cancel}</Button>
      </span>
    </form>
  );
}
