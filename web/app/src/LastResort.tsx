/** Shown after an uncaught error. Nothing is lost: everything is on the server, and unsent answers are stored here. */

import { useEffect } from "react";
import { useWords } from "./words.ts";
import { Button } from "./parts/parts.tsx";

/** Browsers' messages for one of our files that could not be loaded: there is no server, or a newer one with other files. */
const MISSING = /dynamically imported module|Importing a module script failed|error loading dynamically/i;

export function LastResort(props: { readonly error: unknown; readonly again: () => void }) {
  const isMissing = props.error instanceof Error && MISSING.test(props.error.message);
  return isMissing ? <Missing /> : <Broken {...props} />;
}

function Missing() {
  const words = useWords();
  useEffect(() => {
    // Once the server is reachable, a reload brings everything that is needed.
    const look = () => window.askbridge?.state.connection.state === "live" && location.reload();
    return window.askbridge?.subscribe(look);
  }, []);
  return (
    <section className="app-door" role="alert">
      <h1>{words.partMissing}</h1>
      <p>{words.partMissingMore}</p>
      <div className="app-form-end app-form-start">
        <Button kind="main" onClick={() => location.reload()}>{words.reload}</Button>
      </div>
    </section>
  );
}

function Broken({ error, again }: { readonly error: unknown; readonly again: () => void }) {
  const words = useWords();
  const resync = () => {
    window.askbridge?.resync();
    again();
  };
  return (
    <section className="app-door" role="alert">
      <h1>{words.brokeTitle}</h1>
      <p>{words.brokeMore}</p>
      <pre tabIndex={0}>{error instanceof Error ? error.message : String(error)}</pre>
      <div className="app-form-end app-form-start">
        <Button kind="main" onClick={resync}>{words.resync}</Button>
        <Button onClick={() => location.reload()}>{words.reload}</Button>
      </div>
    </section>
  );
}
