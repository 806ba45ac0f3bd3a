/**
 * Tells the server which cards a person looks at, so that it does not ring for them: cards that are on a visible page
 * which is in use. A page that is only left open does not count. In doubt it rings.
 */

import type { Surroundings } from "./surroundings.ts";
import type { ClientFrame } from "./types.ts";

/** How long after the last touch, key or move a page counts as in use. */
const IN_USE_MS = 120_000;
/** What shows that a person is there. */
const SIGNS = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "focus"] as const;

export class Looking {
  private readonly around: Surroundings;
  private readonly send: (frame: ClientFrame) => void;
  /** How many components show each card. */
  private readonly shown = new Map<string, number>();
  private said = "";
  private isLive = false;
  private usedAt: number;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(around: Surroundings, send: (frame: ClientFrame) => void) {
    this.around = around;
    this.send = send;
    // Whoever loads a page is there.
    this.usedAt = around.now();
    for (const sign of SIGNS) around.window?.addEventListener(sign, this.used, { passive: true, capture: true });
    around.document?.addEventListener("visibilitychange", this.tell);
    around.window?.addEventListener("pagehide", this.left);
  }

  /** A card is on the screen. Returns a function that says that it is not any longer. */
  show(ask: string): () => void {
    this.shown.set(ask, (this.shown.get(ask) ?? 0) + 1);
    this.tell();
    return () => {
      const others = (this.shown.get(ask) ?? 1) - 1;
      if (others > 0) this.shown.set(ask, others);
      else this.shown.delete(ask);
      this.tell();
    };
  }

  connected() {
    this.isLive = true;
    this.said = "";
    this.tell();
  }

  lost() {
    this.isLive = false;
  }

  /** The server forgets what was said a while ago, so it is said again with every ping. */
  again() {
    if (this.said === "") return;
    this.said = "";
    this.tell();
  }

  close() {
    clearTimeout(this.timer);
    for (const sign of SIGNS) this.around.window?.removeEventListener(sign, this.used, { capture: true });
    this.around.document?.removeEventListener("visibilitychange", this.tell);
    this.around.window?.removeEventListener("pagehide", this.left);
  }

  private readonly used = () => {
    const wasUsed = this.isUsed();
    this.usedAt = this.around.now();
    if (!wasUsed) this.tell();
  };

  private readonly left = () => {
    this.say([]);
  };

  private isUsed = () => this.around.now() - this.usedAt < IN_USE_MS;

  private readonly tell = () => {
    clearTimeout(this.timer);
    const isVisible = this.around.document?.visibilityState === "visible";
    const isLooking = isVisible && this.isUsed() && this.shown.size > 0;
    // Without another sign of the person, it is said that they may have left.
    if (isLooking) this.timer = setTimeout(this.tell, IN_USE_MS);
    this.say(isLooking ? [...this.shown.keys()].sort() : []);
  };

  private say(asks: string[]) {
    const said = asks.join(" ");
    if (!this.isLive || said === this.said) return;
    this.said = said;
    this.send({ type: "looking", asks });
  }
}
