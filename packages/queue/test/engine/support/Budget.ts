/**
 * How much the laws are tested: 40 schedules each, or `LAWS_RUNS`, from one seed, so that no change is blamed for an older fault.
 * `LAWS_SEED` is another one, or `drawn`: `npm run laws` draws it, and prints it.
 */
const seed =
  process.env["LAWS_SEED"] === "drawn" ? Math.floor(Math.random() * 2 ** 31) : Number(process.env["LAWS_SEED"] ?? 1)

/** Whether the laws run in full (`npm run laws`). */
export const isFull = process.env["LAWS_RUNS"] !== undefined

/** The parameters of a property: a failure prints the seed, too. */
export const budget = { seed, numRuns: Number(process.env["LAWS_RUNS"] ?? 40) }

/** The parameters of a search for the fault of a broken engine: one seed, so that no search misses by chance. */
export const search = { seed: 5, numRuns: 20_000, endOnFailure: true }

if (isFull) process.stderr.write(`seed of the laws: LAWS_SEED=${seed} npm run laws\n`)
