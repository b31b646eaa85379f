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

const part = process.env["LAWS_PART"] ?? "1"

/** Into how many parts the large worlds of the exhaustive model are divided. */
const parts = 29

/** Whether the model is searched in full (`npm run model`). */
export const isWhole = part === "all"

/** The worlds of one part, `LAWS_PART` (the first), or of all. Every 29th is in it: the worlds of a part differ in all they can. */
export const partOf = <A>(worlds: ReadonlyArray<A>): ReadonlyArray<A> =>
  isWhole ? worlds : worlds.filter((_, index) => index % parts === Number(part) % parts)

if (isFull) process.stderr.write(`seed of the laws: LAWS_SEED=${seed} npm run laws\n`)
