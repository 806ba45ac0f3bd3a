/** A person's connection to the server: it can be cut and restored, and frames can be injected. */

import type { WebSocketRoute } from "playwright-core";
import type { Person } from "./browser.ts";

export interface Wire {
  cut(): void;
  mend(): void;
  /** Sends a frame to the page in the server's place. */
  say(frame: unknown): void;
  /** From now on, changes the server's frames on their way to the page. */
  change(how: (frame: any) => unknown): void;
}

/** Has to be called before the page is opened. */
export async function wire(person: Person): Promise<Wire> {
  let isCut = false;
  let change: (frame: any) => unknown = (frame) => frame;
  const open = new Set<WebSocketRoute>();
  await person.context.routeWebSocket(/\/v1\/ws$/, (page) => {
    if (isCut) return void page.close({ code: 1001 });
    open.add(page);
    const server = page.connectToServer();
    page.onMessage((message) => server.send(message));
    server.onMessage((message) => page.send(JSON.stringify(change(JSON.parse(String(message))))));
    server.onClose((code, reason) => {
      open.delete(page);
      void page.close({ ...(code ? { code } : {}), ...(reason ? { reason } : {}) });
    });
    page.onClose(() => {
      open.delete(page);
      void server.close();
    });
  });
  return {
    cut() {
      isCut = true;
      for (const page of open) void page.close({ code: 1001 });
      open.clear();
    },
    mend: () => void (isCut = false),
    say(frame) {
      for (const page of open) page.send(typeof frame === "string" ? frame : JSON.stringify(frame));
    },
    change: (how) => void (change = how),
  };
}
