/** The file of learned constants in the domain: its text, and what it says about where they come from. */
import { fileURLToPath } from "node:url"
import { FailurePolicy } from "@lazaret/domain"
import type { Figures } from "./Figures.ts"
import type { HistoryRun } from "./History.ts"
import type { ReplayedFailure } from "./Replay.ts"
import { figuresOn } from "./Report.ts"
import * as Rules from "./Rules.ts"
import { learn, type Learned, type Settings } from "./Training.ts"

/** The path of the file with the constants. */
export const path = fileURLToPath(new URL("../../../domain/src/failure/FailureWeights.ts", import.meta.url))

/** When the part of the history ends that was used to choose the settings; later runs were never evaluated here. */
const chosenUntil = "2024-07-01"

/** The policy of the domain with freshly learned numbers in place of the committed ones. */
export const policyOf = (learned: Pick<Learned, "prior" | "weights" | "calibration">): FailurePolicy.FailurePolicy => ({
  ...FailurePolicy.defaults,
  prior: learned.prior,
  weights: { ...FailurePolicy.defaults.weights, ...learned.weights },
  calibration: [...learned.calibration, ...FailurePolicy.defaults.calibration.slice(-1)]
})

/** The text of the file from a history. */
export const textOf = (
  runs: ReadonlyArray<HistoryRun>,
  failures: ReadonlyArray<ReplayedFailure>,
  settings: Settings
): string => {
  const learned = learn(failures, settings)
  const figures = figuresOn(failures, Rules.verdictRule(policyOf(learned)), {
    from: settings.until,
    until: chosenUntil
  })
  return render(learned, { runs, settings, figures })
}

const render = (
  learned: Learned,
  source: { readonly runs: ReadonlyArray<HistoryRun>; readonly settings: Settings; readonly figures: Figures }
): string => {
  const { figures, runs, settings } = source
  const used = runs.filter(({ at }) => at < settings.until)
  const { commits, failures, flaky } = learned.learnedFrom
  return `/**
 * The learned numbers of the verdict on a failure. Written by \`npm run train:failures\`; do not edit.
 *
 * Data: published test reports of dask/distributed (https://github.com/dask/distributed, branch gh-pages), BSD-3-Clause;
 * runs of its main branch.
 */

/** The source of the numbers. */
export const provenance = {
  data: "dask/distributed test reports",
  license: "BSD-3-Clause",
  learned: {
    from: "${used[0]?.at.slice(0, 10) ?? ""}",
    until: "${settings.until}",
    runs: ${used.length},
    failures: ${failures},
    flaky: ${flaky},
    persistent: ${failures - flaky},
    commits: ${commits}
  },
  chosen: { from: "${settings.until}", until: "${chosenUntil}" },
  settings: {
    largestCommit: ${settings.largestCommit},
    clustering: ${settings.clustering},
    ridge: ${settings.ridge},
    halfLifeDays: ${settings.halfLifeDays},
    tail: ${settings.tail}
  },
  figures: {
    macroF1: ${round(figures.macroF1)},
    calibrationError: ${round(figures.calibrationError ?? 0)},
    precision: ${round(figures.precision)},
    recall: ${round(figures.recall)},
    excused: ${round(figures.excused)}
  }
}

/** The prior in bits, the weights in bits per unit of their measure, and the points of the calibration. */
export const trained = {
  prior: ${learned.prior},
  weights: {
${Object.entries(learned.weights)
  .map(([kind, weight]) => `    ${kind}: ${weight}`)
  .join(",\n")}
  },
  calibration: [
${learned.calibration.map(({ probability, score }) => `    { score: ${score}, probability: ${probability} }`).join(",\n")}
  ]
}
`
}

const round = (value: number): number => Math.round(value * 1000) / 1000
