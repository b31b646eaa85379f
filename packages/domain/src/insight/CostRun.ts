/** Why job runs of a commit are red: by flakes alone, by an outage, or by something else. */
import type { KeptVerdict, Truth } from "../failure/FailurePrecision.ts"
import type { FailureGate } from "../failure/FailureGate.ts"
import type { Verdict } from "../failure/FailureVerdict.ts"
import { jobKey } from "../failure/JobRun.ts"
import * as Text from "../text/Text.ts"
import type { CostRun, CostTest } from "./CostFacts.ts"

/**
 * The first verdict on a failure, and what is known of it since: `truth` is what a person said, `outcome` what later runs showed.
 */
export interface Opinion {
  readonly verdict: Verdict
  readonly probability: number
  readonly truth: Truth | null
  readonly outcome: Truth | null
}

/** The first verdict on the failures of a test in the job of a run on its commit; null without one. */
export type OpinionOf = (run: CostRun, testName: string) => Opinion | null

/** Finds the first of the kept verdicts on a commit, for each test and job. */
export const opinionsOf = (kept: ReadonlyArray<KeptVerdict>): OpinionOf => {
  const first = new Map<string, KeptVerdict>()
  for (const each of kept) {
    const key = `${jobKey(each)}\0${each.testName}`
    const other = first.get(key)
    if (other === undefined || isBefore(each, other)) first.set(key, each)
  }
  return (run, testName) => {
    const found = first.get(`${jobKey(run)}\0${testName}`)
    if (found === undefined) return null
    const { mark, outcome, probability, verdict } = found
    return { verdict, probability, outcome, truth: mark?.truth ?? null }
  }
}

const isBefore = (a: KeptVerdict, b: KeptVerdict): boolean =>
  a.at < b.at || (a.at === b.at && Text.compare(a.executionId, b.executionId) < 0)

/**
 * The kind of a failure.
 *
 * **Details**
 *
 * - `proven`: the same code passed, or a person called it flaky. `judged`: nothing but the first verdict says that it is flaky.
 * - `outage`: the verdict is an outage, also when the same code passed later. `other`: everything else.
 */
export type FailureKind = "proven" | "judged" | "outage" | "other"

/** The kind of a failure. What a person said counts first, then the verdict on the environment, then reruns, then the verdict. */
export const kindOf = ({ hasPassed }: Pick<CostTest, "hasPassed">, opinion: Opinion | null): FailureKind => {
  if (opinion?.truth === "real") return "other"
  if (opinion?.truth === "flaky") return "proven"
  if (opinion?.verdict === "outage") return "outage"
  if (hasPassed) return "proven"
  return opinion?.verdict === "flaky" && opinion.outcome !== "real" ? "judged" : "other"
}

/** The colour of a job run, from good to bad: `flakes` is red by flakes alone, `other` is red for at least one other reason. */
export const colours = ["green", "flakes", "outage", "other"] as const

/** The colour of a job run, a commit or a pull request. */
export type Colour = (typeof colours)[number]

/** The worse of two colours. */
export const worse = (a: Colour, b: Colour): Colour => (colours.indexOf(a) >= colours.indexOf(b) ? a : b)

/**
 * A job run with its colour.
 *
 * **Details**
 *
 * - `flaky`: the tests that failed by a flake. `isProven`: none of them is flaky by its verdict alone.
 * - `blocking`: the failed tests that the gate would not have let pass at first sight, by their first verdicts; null when no failed test is known.
 */
export interface Coloured {
  readonly run: CostRun
  readonly colour: Colour
  readonly flaky: ReadonlyArray<string>
  readonly isProven: boolean
  readonly blocking: ReadonlyArray<string> | null
}

/**
 * The colour of a job run.
 *
 * **Details**
 *
 * A red job run whose failing tests are not known (they were deleted, or the run itself failed) is `other`. The gate is replayed with
 * the probability of the first verdict `flaky` alone: the certainty of the others is not stored.
 */
export const colour = (run: CostRun, opinionOf: OpinionOf, gate: Pick<FailureGate, "flaky">): Coloured => {
  const failures = run.tests
    .filter(({ isFailed }) => isFailed)
    .map((test) => {
      const opinion = opinionOf(run, test.testName)
      return { testName: test.testName, kind: kindOf(test, opinion), opinion }
    })
  const kinds = new Set(failures.map(({ kind }) => kind))
  return {
    run,
    colour: colourOf(run, kinds),
    flaky: failures.flatMap(({ kind, testName }) => (kind === "proven" || kind === "judged" ? [testName] : [])),
    isProven: !kinds.has("judged"),
    blocking: failures.length === 0 ? null : failures.flatMap((each) => (passes(each, gate) ? [] : [each.testName]))
  }
}

const passes = ({ opinion }: { readonly opinion: Opinion | null }, { flaky }: Pick<FailureGate, "flaky">): boolean =>
  flaky !== null && opinion?.verdict === "flaky" && opinion.probability >= flaky

const colourOf = (run: CostRun, kinds: ReadonlySet<FailureKind>): Colour => {
  if (run.failed === 0) return "green"
  if (run.isExcused) return "outage"
  if (kinds.size === 0 || kinds.has("other")) return "other"
  return kinds.has("outage") ? "outage" : "flakes"
}
