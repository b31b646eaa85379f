/**
 * The learned numbers of the verdict on a failure. Written by `npm run train:failures`; do not edit.
 *
 * Data: published test reports of dask/distributed (https://github.com/dask/distributed, branch gh-pages), BSD-3-Clause;
 * runs of its main branch.
 */

/** The source of the numbers. */
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
    macroF1: 0.881,
    calibrationError: 0.04,
    precision: 0.948,
    recall: 0.709,
    excused: 0.012
  }
}

/** The prior in bits, the weights in bits per unit of their measure, and the points of the calibration. */
export const trained = {
  prior: 0.51,
  weights: {
    attempts: 1.962,
    base_passed: 0.716,
    base_failed: 0.753,
    base_row: 0.956,
    flakes_before: 0.408,
    real_before: 0.559,
    sibling_jobs: 0.42,
    previous_run: 0.25,
    job_failures: 0.3
  },
  calibration: [
    { score: -3, probability: 0.1 },
    { score: -2, probability: 0.184 },
    { score: -1, probability: 0.314 },
    { score: 0, probability: 0.481 },
    { score: 1, probability: 0.653 },
    { score: 2, probability: 0.792 },
    { score: 3, probability: 0.885 },
    { score: 4, probability: 0.94 }
  ]
}
