/** What a notice of a channel looks like on the phone: drawn, with the buttons that it would have. */

import type { Content, Decides } from "@askbridge/client";
import { useReachWords } from "../words.ts";
import { KindIcon, kindName, type Kind } from "./kinds.tsx";
import { isPublicNtfy } from "./outcomes.ts";

interface Shown {
  readonly kind: Kind;
  readonly server: string;
  readonly content: Content | "";
  readonly decides: Decides | "";
}

/** What the server decides where nothing is chosen. */
export function shownAs({ kind, server, content, decides }: Shown): { readonly isHidden: boolean; readonly buttons: number; readonly hasWords: boolean } {
  const isPublic = kind === "ntfy" && isPublicNtfy(server);
  const isHidden = content === "" ? isPublic : content === "hidden";
  const isSilent = kind === "webhook" || kind === "command";
  const isDecidable = !isSilent && (decides === "" ? !isPublic : decides !== "nothing") && !isHidden;
  return { isHidden, buttons: isDecidable ? 2 : 0, hasWords: isDecidable && (kind === "telegram" || kind === "slack") };
}

export function OnThePhone(shown: Shown) {
  const words = useReachWords();
  const { isHidden, buttons, hasWords } = shownAs(shown);
  const labels = [words.previewYes, words.previewNo].slice(0, buttons).concat(hasWords ? [words.previewWords] : []);
  return (
    <figure className="app-phone">
      <figcaption className="app-note">{words.preview}</figcaption>
      <div className="app-phone-notice">
        <p className="app-phone-from"><KindIcon kind={shown.kind} /> {kindName(shown.kind, words)}</p>
        <p><strong>{isHidden ? words.previewHidden : words.previewTitle}</strong></p>
        <p>{isHidden ? words.previewHiddenMore : words.previewQuestion}</p>
        {labels.length > 0 && <p className="app-phone-buttons">{labels.map((label) => <span key={label}>{label}</span>)}</p>}
      </div>
    </figure>
  );
}
