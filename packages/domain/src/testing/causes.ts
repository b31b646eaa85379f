/** Records of causes for tests. */
import type { Instant } from "../time/Instant.ts"
import type { CauseTest } from "../insight/Cause.ts"
import { type CauseDecisions, type CauseRecord, undecided } from "../insight/CauseRecord.ts"

/** The record of a cause of some tests that failed at an instant, with decisions of people. */
export const causeRecord = (
  testNames: ReadonlyArray<string>,
  at: Instant,
  decisions: Partial<CauseDecisions> = {}
): CauseRecord => ({
  ...undecided,
  causeId: "11111111-1111-5111-8111-000000000001",
  known: {
    kind: "tests",
    name: `boom, ${testNames.length} tests`,
    tests: testNames.map((testName): CauseTest => ({ testName, runs: 2, lastAt: at })),
    testCount: testNames.length,
    signature: null,
    exceptionType: null,
    message: null,
    messageShare: 0,
    firstAt: at,
    lastAt: at,
    runs: 2,
    weeks: [0, 2],
    jobs: [{ pipelineName: "CI", jobName: "unit", runs: 2 }],
    examples: []
  },
  bornAt: at,
  goneAt: null,
  from: [],
  ...decisions
})
