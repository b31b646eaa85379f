/** Judges of failed runs: the verdict on failures itself, and others with a stated accuracy. */
import type { FailureClass } from "@lazaret/queue"
import type { Judge } from "./Checks.ts"
import type * as Judged from "./Judged.ts"
import { choose } from "./Random.ts"

type Shares = ReadonlyArray<readonly [FailureClass.FailureClass, number]>

/** A judge that draws one class for each failure, with these probabilities for a flake and for a real one. */
const assumed =
  (flake: Shares, real: Shares): Judge =>
  ({ brokenBy, commit }, draw) => [
    {
      test: brokenBy === null ? `flake ${commit}` : `broken by ${brokenBy}`,
      class: choose(draw, brokenBy === null ? flake : real),
      probability: null
    }
  ]

/** The judges that can be named. */
export const named: Readonly<Record<string, Judge>> = {
  measured: assumed(
    [
      ["flaky", 0.87],
      ["unknown", 0.08],
      ["real", 0.05]
    ],
    [
      ["real", 0.89],
      ["flaky", 0.08],
      ["unknown", 0.03]
    ]
  ),
  poor: assumed(
    [
      ["flaky", 0.6],
      ["unknown", 0.2],
      ["real", 0.2]
    ],
    [
      ["real", 0.7],
      ["flaky", 0.2],
      ["unknown", 0.1]
    ]
  ),
  none: assumed([["unknown", 1]], [["unknown", 1]]),
  generous: assumed(
    [
      ["flaky", 0.95],
      ["unknown", 0.05]
    ],
    [
      ["flaky", 0.33],
      ["unknown", 0.27],
      ["real", 0.4]
    ]
  )
}

/** The verdict on failures: a failed run has the judged failures of one that was generated. */
export const ofPool =
  ({ again, flake, real }: Judged.Pool): Judge =>
  ({ attempt, brokenBy }, draw) => {
    const runs = brokenBy === null ? (attempt === 1 ? flake : again) : real
    const failures = runs[Math.floor(draw() * runs.length)] ?? []
    return brokenBy === null ? failures : failures.map((each) => ({ ...each, test: `broken by ${brokenBy}` }))
  }
