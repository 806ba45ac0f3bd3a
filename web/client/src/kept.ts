/** Small values stored on this device, by name: unsent answers and drafts. */

import type { Store } from "./surroundings.ts";

export class Kept<T> {
  private readonly known = new Map<string, T>();
  private readonly store: Store | null;
  private readonly prefix: string;

  constructor(store: Store | null, prefix: string) {
    this.store = store;
    this.prefix = prefix;
    for (let i = 0; store && i < store.length; i += 1) {
      const key = store.key(i);
      if (!key?.startsWith(prefix)) continue;
      try {
        this.known.set(key.slice(prefix.length), JSON.parse(store.getItem(key) ?? "null") as T);
      } catch {
        // A partial write of a browser that was killed. Nothing can be read from it.
      }
    }
  }

  get(name: string): T | undefined {
    return this.known.get(name);
  }

  set(name: string, value: T) {
    this.known.set(name, value);
    try {
      this.store?.setItem(this.prefix + name, JSON.stringify(value));
    } catch {
      // The storage is full or read-only. The value stays in memory while the page is open.
    }
  }

  delete(name: string) {
    this.known.delete(name);
    this.store?.removeItem(this.prefix + name);
  }

  entries(): [string, T][] {
    return [...this.known];
  }
}
