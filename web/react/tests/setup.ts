import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// A tree that stays mounted goes on working after its test, and fails once jsdom's window is gone.
afterEach(cleanup);

// How long to wait for something that comes later. A bound for a busy machine, not an expectation.
configure({ asyncUtilTimeout: 30_000 });

// jsdom lays nothing out, so that everything counts as in view. What it means to be out of view, the journeys show.
globalThis.IntersectionObserver ??= class {
  private readonly heard: (entries: readonly { isIntersecting: boolean }[]) => void;
  constructor(heard: (entries: readonly { isIntersecting: boolean }[]) => void) {
    this.heard = heard;
  }
  observe() {
    this.heard([{ isIntersecting: true }]);
  }
  disconnect() {}
} as never;
