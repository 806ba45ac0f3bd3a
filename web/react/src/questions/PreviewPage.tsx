/** An HTML preview: served as a separate document where there is a server, else made here. */

import { createContext, useContext, useEffect, useState } from "react";
import { sandboxed } from "./previewed.ts";

/** Finds the address of a served preview. A document made here also has the policy of the page around it. */
export const PreviewPages = createContext<((preview: string) => Promise<string>) | null>(null);

export function PreviewPage({ title, preview }: { readonly title: string; readonly preview: string }) {
  const find = useContext(PreviewPages);
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    let isWanted = true;
    find?.(preview).then((found) => isWanted && setAddress(found), () => undefined);
    return () => void (isWanted = false);
  }, [find, preview]);
  const shared = { className: "ab-preview-page", title, sandbox: "", referrerPolicy: "no-referrer", loading: "lazy" } as const;
  if (find === null) return <iframe {...shared} srcDoc={sandboxed(preview)} />;
  return address === null ? <div className="ab-preview-page" /> : <iframe {...shared} src={address} />;
}
