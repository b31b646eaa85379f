/**
 * The plan of a crash test: the uploads of each reporter, and the moments of each kill. All of it follows from a seed.
 */
import * as Chance from "./Chance.ts"

/** One report as it goes over the wire. `cutMs`: the reporter loses its first connection after this many milliseconds. */
export interface Upload {
  readonly repository: string
  readonly query: Readonly<Record<string, string>>
  readonly body: string
  readonly cases: number
  readonly cutMs: number | null
}

/**
 * - `server`: the server of Lazaret gets SIGKILL, and is started again.
 * - `postmaster`: PostgreSQL gets SIGKILL.
 * - `immediate`: PostgreSQL stops as `pg_ctl stop -m immediate` makes it stop.
 * - `backend`: one connection's process of PostgreSQL gets SIGKILL; PostgreSQL ends all others and recovers.
 */
export type Blow = "server" | "postmaster" | "immediate" | "backend"

/** A blow that falls some milliseconds after this many uploads were acknowledged. */
export interface Disaster {
  readonly blow: Blow
  readonly afterUploads: number
  readonly delayMs: number
}

export interface Plan {
  readonly seed: number
  readonly reporters: ReadonlyArray<ReadonlyArray<Upload>>
  readonly disasters: ReadonlyArray<Disaster>
}

export interface Size {
  readonly seed: number
  readonly uploads: number
  readonly kills: number
  /** Each of the three ways to strike PostgreSQL happens so often. */
  readonly stops: number
}

export const repositories = ["widgets", "gadgets"] as const

const reporters = 6
const day = 86_400_000

/** All runs finished within the 18 days before `until`. */
export const make = (size: Size, until: number): Plan => {
  const chance = Chance.make(size.seed)
  const lists: Array<Array<Upload>> = Array.from({ length: reporters }, () => [])
  for (let index = 0; index < size.uploads; index++) {
    const upload = uploadOf(chance, index, size.uploads, until)
    lists[index % reporters]?.push(upload)
    // Two jobs of one run hand in the same file now and then, at about the same time.
    if (chance.happens(0.05)) lists[(index + 1) % reporters]?.push(upload)
  }
  return { seed: size.seed, reporters: lists, disasters: disastersOf(chance, size) }
}

const disastersOf = (chance: Chance.Chance, { kills, stops, uploads }: Size): ReadonlyArray<Disaster> => {
  const blows: ReadonlyArray<Blow> = [
    ...Array.from({ length: kills }, () => "server" as const),
    ...Array.from({ length: stops }, () => ["postmaster", "immediate", "backend"] as const).flat()
  ]
  return blows
    .map((blow): Disaster => ({ blow, afterUploads: chance.below(uploads), delayMs: chance.below(60) }))
    .toSorted((a, b) => a.afterUploads - b.afterUploads)
}

const uploadOf = (chance: Chance.Chance, index: number, uploads: number, until: number): Upload => {
  const repository = repositories[chance.below(repositories.length)] ?? repositories[0]
  const commit = `c${Math.floor((index + chance.below(6)) / 4)}`
  const cases = chance.happens(0.15) ? 150 + chance.below(250) : 1 + chance.below(25)
  // Mostly in order; one in five is days late.
  const late = chance.happens(0.2) ? chance.below(12 * day) : chance.below(day / 4)
  const finished = until - 18 * day + Math.floor((index / uploads) * 18 * day) - late
  return {
    repository,
    query: {
      pipeline_name: "CI",
      job_name: chance.happens(0.7) ? "unit" : "e2e",
      commit,
      branch: chance.happens(0.85) ? "main" : "topic",
      run_id: `run ${Math.floor(index / 2)}`,
      run_attempt: String(1 + chance.below(2)),
      finished_at: new Date(finished).toISOString(),
      ...(chance.happens(0.5) ? { idempotency_key: `upload ${index}` } : {})
    },
    body: reportOf(chance, cases),
    cases,
    cutMs: chance.happens(0.1) ? 1 + chance.below(60) : null
  }
}

const reportOf = (chance: Chance.Chance, cases: number): string => {
  const first = chance.below(20)
  const isOutage = chance.happens(0.03)
  const lines = Array.from({ length: cases }, (_, index) => {
    const name = `classname="suite.S${(first + index) % 7}" name="keeps law ${first + index}" time="0.0${chance.below(9)}"`
    if (isOutage || chance.happens(0.12)) {
      const type = `E${chance.below(3)}`
      return `<testcase ${name}><failure type="${type}" message="no ${chance.below(3)}">at ${type}</failure></testcase>`
    }
    return chance.happens(0.03) ? `<testcase ${name}><skipped/></testcase>` : `<testcase ${name}/>`
  })
  return `<testsuite name="s">${lines.join("\n")}</testsuite>`
}
