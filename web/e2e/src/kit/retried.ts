/** Reports at the end which journeys had to be retried, so that a retry is not taken for success. */

import type { Reporter, TestModule } from "vitest/node";

export class Retried implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    const twice = modules.flatMap((module) => [...module.children.allTests()].filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0));
    if (twice.length === 0) return;
    console.log(`\nwalked twice (${twice.length}):`);
    for (const test of twice) console.log(`  ${test.fullName}`);
  }
}
