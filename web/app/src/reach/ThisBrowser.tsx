/** Why this browser cannot be rung, and what to do about it. */

import type { ReachWords } from "@askbridge/words";
import { useReachWords } from "../words.ts";
import type { PushAbility, PushTrouble } from "./web_push.ts";

export function CannotRingHere({ why }: { readonly why: Exclude<PushAbility, "able"> }) {
  const words = useReachWords();
  if (why === "ios")
    return (
      <div className="app-reach-why">
        <p>{words.pushIos}</p>
        <ol className="app-steps">{words.pushIosSteps.split("\n").map((step) => <li key={step}>{step}</li>)}</ol>
      </div>
    );
  return <p className="app-reach-why">{{ insecure: words.pushInsecure, none: words.pushNone, blocked: words.pushBlocked }[why]}</p>;
}

/** Why subscribing failed, in words. */
export function pushTrouble({ why, message }: PushTrouble, words: ReachWords): string {
  return { blocked: words.pushBlocked, no_worker: words.pushNoWorker, refused: words.pushRefused(message) }[why];
}
