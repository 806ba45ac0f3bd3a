import { configure } from "@testing-library/react";

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
