/** Examples of the answers about changes. */
import type { Schema } from "effect"
import type * as Change from "./Change.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

const change: Encoded<typeof Change.FoundChange> = {
  sentence: "with 90 % one of 2 commits brought the change; the first failure was on 0123456789ab",
  runs: 412,
  failed_runs: 31,
  missing_runs: 0,
  first_failure: { commit: "0123456789abcdef0123456789abcdef01234567", at: "2026-01-20T10:00:00.000Z" },
  intervals: [
    {
      level: 0.9,
      probability: 0.943,
      after: "89abcdef0123456789abcdef0123456789abcdef",
      last: "0123456789abcdef0123456789abcdef01234567",
      commits: 2,
      url: "https://github.com/acme/widgets/compare/89abcdef0123456789abcdef0123456789abcdef...0123456789abcdef0123456789abcdef01234567"
    }
  ]
}

/** An example for each operation. */
export const changeExamples = { getTestChange: { response: change }, getCauseChange: { response: change } }
