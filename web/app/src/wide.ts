import { useSyncExternalStore } from "react";

const query = matchMedia("(min-width: 68rem)");

/** Is there room for a list and a card side by side? */
export const useWide = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => query.matches,
  );
