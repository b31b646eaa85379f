/** The text of the stress runs of a test. */
import type { Schemas } from "@lazaret/api"
import * as Session from "../../connection/Session.ts"
import { plain } from "../../terminal/Terminal.ts"

/** The latest stress run of a test in a line; none without one. */
export const linesOf = ({ stress_runs }: typeof Schemas.StressRunsOfTest.Type): ReadonlyArray<string> =>
  stress_runs
    .slice(0, 1)
    .map(
      ({ commit, ended_at, sentence }) =>
        `stress run of ${Session.minuteOf(ended_at)} on ${plain(commit).slice(0, 12)}: ${sentence}`
    )
