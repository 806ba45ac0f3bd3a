/** The answer that the person gave on this device: just now on this card, or before the page was loaded. */

import { useState } from "react";
import type { AskView, NewAnswer } from "@askbridge/client";

export function useGiven({ sending }: AskView): readonly [NewAnswer | null, (answer: NewAnswer) => void] {
  const [given, setGiven] = useState<NewAnswer | null>(null);
  return [given ?? ("given" in sending ? (sending.given ?? null) : null), setGiven];
}
