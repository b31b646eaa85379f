/** Stress runs: how often new or mended tests run, and what clean runs prove. */

/** The confidence of a statement, and the share of failures that it excludes; both above 0 and below 1. */
export interface Claim {
  readonly confidence: number
  readonly below: number
}

/**
 * The number of clean runs after which a test that fails in a share `below` of its runs would have failed once with the confidence.
 *
 * @example
 * ```ts
 * import { Stress } from "@lazaret/domain"
 *
 * Stress.runsFor({ confidence: 0.95, below: 0.1 }) // => 29
 * ```
 */
export const runsFor = ({ below, confidence }: Claim): number =>
  Math.max(1, Math.ceil(Math.log(1 - confidence) / Math.log(1 - below) - 1e-9))

/**
 * The share of failures that clean runs exclude with the confidence; 1 without runs.
 *
 * @example
 * ```ts
 * import { Stress } from "@lazaret/domain"
 *
 * Stress.boundOf(30, 0.95).toFixed(3) // => "0.095"
 * ```
 */
export const boundOf = (clean: number, confidence: number): number =>
  clean === 0 ? 1 : 1 - (1 - confidence) ** (1 / clean)

/** The number of passes and of failures of a test. */
export interface Tally {
  readonly passed: number
  readonly failed: number
}

/**
 * The judgement on the runs of a test.
 *
 * **Details**
 *
 * `flaky`: it passed and failed on one commit. `failing`: it failed in every run. `clean`: it passed in every run. `absent`: no report
 * has a result of it.
 */
export type Judgement = "clean" | "flaky" | "failing" | "absent"

/** The judgement of a tally. */
export const judge = ({ failed, passed }: Tally): Judgement =>
  failed > 0 ? (passed > 0 ? "flaky" : "failing") : passed > 0 ? "clean" : "absent"

/** The statement that the runs of a test allow, as a clause. */
export const sentenceOf = (tally: Tally, confidence: number): string => {
  const { failed, passed } = tally
  const bound = (100 * boundOf(passed, confidence)).toFixed(1)
  switch (judge(tally)) {
    case "clean":
      return `${passed} clean ${passed === 1 ? "run" : "runs"}: fails in less than ${bound} % of its runs, with ${percentOf(confidence)}`
    case "flaky":
      return `passed ${passed} and failed ${failed} of ${passed + failed} runs on one commit: it is flaky`
    case "failing":
      return `failed in each of ${failed} ${failed === 1 ? "run" : "runs"}: it is broken`
    case "absent":
      return "no report has a result of it"
  }
}

/**
 * The outcome of several tests in one sentence, null without tests; `isNew`: none of them has run on the default branch.
 *
 * @example
 * ```ts
 * import { Stress } from "@lazaret/domain"
 *
 * const clean = { passed: 29, failed: 0 }
 * Stress.summaryOf([clean, clean], true) // => "2 new tests, 29 clean runs each."
 * Stress.summaryOf([clean, { passed: 3, failed: 1 }], false) // => "2 tests ran again and again: 1 flaky, 1 clean."
 * ```
 */
export const summaryOf = (tallies: ReadonlyArray<Tally>, isNew: boolean): string | null => {
  if (tallies.length === 0) return null
  const tests = `${tallies.length} ${isNew ? "new " : ""}${tallies.length === 1 ? "test" : "tests"}`
  const judgements = tallies.map(judge)
  if (judgements.every((each) => each === "clean")) {
    const runs = tallies.map(({ passed }) => passed)
    const least = Math.min(...runs)
    const atLeast = least === Math.max(...runs) ? "" : "at least "
    return `${tests}, ${atLeast}${least} clean ${least === 1 ? "run" : "runs"}${tallies.length === 1 ? "" : " each"}.`
  }
  const counts = order
    .map((judgement) => ({ judgement, count: judgements.filter((each) => each === judgement).length }))
    .filter(({ count }) => count > 0)
    .map(({ count, judgement }) => `${count} ${words[judgement]}`)
  return `${tests} ran again and again: ${counts.join(", ")}.`
}

const order: ReadonlyArray<Judgement> = ["flaky", "failing", "absent", "clean"]

const words: { readonly [J in Judgement]: string } = {
  flaky: "flaky",
  failing: "broken",
  absent: "without a result",
  clean: "clean"
}

/** A share as a percentage, with at most one decimal. */
export const percentOf = (share: number): string => `${Number((100 * share).toFixed(1))} %`

/** The runs after which a test that failed in each of them is not run again: it is broken rather than flaky. */
export const mostFailing = 3

/**
 * Whether further runs say nothing new: one test is flaky, or none can still be clean and each has failed {@link mostFailing} times.
 */
export const isDecided = (tallies: ReadonlyArray<Tally>): boolean =>
  tallies.some((tally) => judge(tally) === "flaky") ||
  (tallies.length > 0 && tallies.every((tally) => judge(tally) === "failing" && tally.failed >= mostFailing))
