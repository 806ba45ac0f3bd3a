/** Errors of requests, as they are reported. */

import type { Problem } from "./types.ts";
import type { Because } from "./view.ts";

/** A request that was refused, or that did not reach the server. */
export class Trouble extends Error {
  readonly because: Because;

  constructor(because: Because) {
    super(because.detail);
    this.name = "Trouble";
    this.because = because;
  }
}

export function refused(problem: Partial<Problem>): Because {
  return {
    code: problem.code ?? "unreachable",
    detail: problem.detail ?? "the server said no, and not why",
    parts: problem.errors ?? [],
    winner: problem.winner ?? null,
    retry: problem.retry ?? false,
  };
}

export const unreachable: Because = { code: "unreachable", detail: "the server cannot be reached", parts: [], winner: null, retry: true };
