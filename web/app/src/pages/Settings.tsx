/** The person's preferences on this device. */

import { useState } from "react";
import { useClient, useBridge } from "@askbridge/react";
import { clusterWords } from "@askbridge/words";
import { change, languageOf, useSettings } from "../settings.ts";
import { Link } from "../router.tsx";
import { useReachWords, useWords } from "../words.ts";
import { InstallSection } from "../parts/Install.tsx";
import { Button, Choice, Page } from "../parts/parts.tsx";
import { SignOut } from "../parts/SignOut.tsx";

export function SettingsPage() {
  const words = useWords();
  const reach = useReachWords();
  const settings = useSettings();
  const nodes = clusterWords[languageOf(settings)];
  const client = useClient();
  const me = useBridge((state) => state.me);
  const isShared = useBridge((state) => state.cluster !== null && !state.cluster.alone);
  const [refused, setRefused] = useState(false);
  const notify = async (wanted: typeof settings.notify) => {
    if (wanted !== "off" && Notification.permission !== "granted" && (await Notification.requestPermission()) !== "granted") return setRefused(true);
    setRefused(false);
    change({ notify: wanted });
  };
  return (
    <Page title={words.settings}>
      <div className="app-form">
        <Choice label={words.language} value={settings.language} onChange={(language) => change({ language })}
          options={[["auto", words.likeTheSystem], ["en", "English"], ["ja", "日本語"]]} />
        <Choice label={words.theme} value={settings.theme} onChange={(theme) => change({ theme })}
          options={[["auto", words.likeTheSystem], ["light", words.light], ["dark", words.dark]]} />
        <div>
          <Choice label={words.undoTime} value={settings.undo} onChange={(undo) => change({ undo })}
            options={[["5", words.seconds(5)], ["15", words.seconds(15)], ["60", words.seconds(60)]]} />
          <p className="app-note">{words.undoTimeMore}</p>
        </div>
        {"Notification" in window && (
          <div>
            <Choice label={words.notifications} value={settings.notify} onChange={(wanted) => void notify(wanted)}
              options={[["off", words.notifyOff], ["full", words.notifyFull], ["hidden", words.notifyHidden]]} />
            <p className="app-note">{words.notificationsMore}</p>
            {refused && <p className="app-trouble" role="alert">{words.notificationsRefused}</p>}
          </div>
        )}
        <section className="app-form">
          <h2>{reach.title}</h2>
          <p className="app-note">{reach.entry}</p>
          <div className="app-form-end app-form-start">
            <Link className="app-button app-button-plain" href="/settings/reach">{reach.entryOpen}</Link>
          </div>
        </section>
        <section className="app-form">
          <h2>{words.rules}</h2>
          <p className="app-note">{words.rulesEntry}</p>
          <div className="app-form-end app-form-start">
            <Link className="app-button app-button-plain" href="/settings/rules">{words.rulesOpen}</Link>
          </div>
        </section>
        {isShared && (
          <section className="app-form">
            <h2>{nodes.title}</h2>
            <p className="app-note">{nodes.entry}</p>
            <div className="app-form-end app-form-start">
              <Link className="app-button app-button-plain" href="/settings/cluster">{nodes.entryOpen}</Link>
            </div>
          </section>
        )}
        <section className="app-form">
          <h2>{words.thisBrowser}</h2>
          <p className="app-note">{words.signedInAs(me?.name ?? "…", me?.role ?? "…")}</p>
          <div className="app-form-end app-form-start">
            <Link className="app-button app-button-plain" href="/devices">{words.devices}</Link>
            <Button onClick={() => client.resync()}>{words.resync}</Button>
            <SignOut />
          </div>
        </section>
        <InstallSection />
        <section>
          <h2>{words.keys}</h2>
          <dl className="app-keys">
            {words.keyList.split("\n").map((line) => {
              const [key, meaning] = line.split("|");
              return <div key={key}><dt><kbd>{key}</kbd></dt><dd>{meaning}</dd></div>;
            })}
          </dl>
        </section>
      </div>
    </Page>
  );
}
