/** Something broke that nobody caught. Nothing is lost: everything is on the server, and unsent answers are kept here. */

import { useWords } from "./words.ts";
import { Button } from "./parts/parts.tsx";

export function LastResort({ error, again }: { readonly error: unknown; readonly again: () => void }) {
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
