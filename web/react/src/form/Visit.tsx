/** A page that the agent asks the person to visit. The address is shown in full, its host first. */

import { Icon } from "../card/Icon.tsx";
import { safeAddress } from "../Markdown/links.ts";
import { Seen } from "../text/Seen.tsx";
import { useWords } from "../wording.tsx";

export function Visit({ url, isOpen }: { readonly url: string; readonly isOpen: boolean }) {
  const words = useWords();
  const address = safeAddress(url);
  const isPage = address !== null && /^https?:/.test(address);
  return (
    <div className="ab-visit">
      <p className="ab-mono ab-address">
        <Seen text={url} />
      </p>
      {!isPage ? (
        <p className="ab-problem">{words.unsafeAddress}</p>
      ) : (
        isOpen && (
          <p>
            <a className="ab-button" data-tone="plain" href={address} target="_blank" rel="noopener noreferrer">
              <Icon of="out" />
              {words.visitPage(new URL(address).host)}
            </a>
            <span className="ab-quiet">{words.visitHint}</span>
          </p>
        )
      )}
    </div>
  );
}
