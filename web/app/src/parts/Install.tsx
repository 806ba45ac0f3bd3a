/** How to install the app on the home screen. */

import { install, useInstalling } from "../install.ts";
import { change, useSettings } from "../settings.ts";
import { useWords } from "../words.ts";
import { Button } from "./parts.tsx";

/** The section in the settings. */
export function InstallSection() {
  const words = useWords();
  const how = useInstalling();
  if (how === null) return null;
  return (
    <section className="app-form">
      <h2>{words.install}</h2>
      <p className="app-note">{how === "ios" ? words.installIos : words.installMore}</p>
      {how === "here" && <div className="app-form-end app-form-start"><Button onClick={() => void install()}>{words.installNow}</Button></div>}
    </section>
  );
}

/** The hint below the list, until it is dismissed. */
export function InstallHint() {
  const words = useWords();
  const how = useInstalling();
  const { installHint } = useSettings();
  if (how === null || installHint === "seen") return null;
  return (
    <aside className="app-hint" aria-label={words.install}>
      <p>{how === "ios" ? words.installIos : words.installMore}</p>
      <span className="app-sure">
        {how === "here" && <Button onClick={() => void install()}>{words.installNow}</Button>}
        <Button kind="quiet" onClick={() => change({ installHint: "seen" })}>{words.gotIt}</Button>
      </span>
    </aside>
  );
}
