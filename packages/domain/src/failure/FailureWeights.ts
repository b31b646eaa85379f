/**
 * The learned numbers of the verdict on a failure. Written by `npm run train:failures`; do not edit.
 *
 * Data: published test reports of dask/distributed (https://github.com/dask/distributed, branch gh-pages), BSD-3-Clause;
 * runs of its main branch.
 */

/** Where the numbers come from. */
export const provenance = {
  data: "dask/distributed test reports",
  license: "BSD-3-Clause",
  learned: {
    from: "2022-03-25",
    until: "2024-01-01",
    runs: 1706,
    failures: 1403,
    flaky: 893,
    persistent: 510,
    commits: 316
  },
  chosen: { from: "2024-01-01", until: "2024-07-01" },
  settings: {
    largestCommit: 40,
    clustering: 0.8,
    ridge: 4,
    halfLifeDays: 180,
    tail: 0.1
  },
  figures: {
    macroF1: 0.882,
    calibrationError: 0.04,
    precision: 0.949,
    recall: 0.712,
    excused: 0.012
  }
}

/** The prior in bits, the weights in bits per unit of their measure, and the points of the calibration. */
export const trained = {
  prior: 0.488,
  weights: {
    attempts: 1.952,
    base_passed: 0.715,
    base_failed: 0.769,
    base_row: 0.963,
    flakes_before: 0.433,
    real_before: 0.541,
    sibling_jobs: 0.422,
    previous_run: 0.256,
    job_failures: 0.315
  },
  calibration: [
    { score: -3, probability: 0.101 },
    { score: -2, probability: 0.186 },
    { score: -1, probability: 0.316 },
    { score: 0, probability: 0.484 },
    { score: 1, probability: 0.655 },
    { score: 2, probability: 0.793 },
    { score: 3, probability: 0.886 },
    { score: 4, probability: 0.94 }
  ]
}
