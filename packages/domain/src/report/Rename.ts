/**
 * Proposals for renames: names of a job that vanish where others with the same title, or in the same suite, appear (our choice).
 *
 * Nothing is renamed by a proposal: a person accepts it, and it becomes an alias (`TestAlias`).
 */
import * as Instant from "../time/Instant.ts"
import * as Text from "../text/Text.ts"

/** A test of a job on the default branch: when it ran first there, and when it ran last in any job. */
export interface Seen {
  readonly testName: string
  readonly pipelineName: string
  readonly jobName: string
  readonly firstAt: Instant.Instant
  readonly lastAt: Instant.Instant
}

/**
 * A proposed rename.
 *
 * **Details**
 *
 * `at` is when the new name ran first. `sharedBy` is how many renames of the same job and time replace the same part of their
 * names: a larger number makes a proposal surer.
 */
export interface Proposal {
  readonly from: string
  readonly to: string
  readonly at: Instant.Instant
  readonly sharedBy: number
}

/**
 * The numbers of the rule.
 *
 * **Details**
 *
 * - `together`: tests that run for the first time within this time of one another came together.
 * - `gap`: the old name ran at most this long before the new one.
 * - `likeness`: the least share of common words of two titles in one suite.
 * - `most`: in a suite with more old or more new names than this, titles are not compared.
 */
export const rule = { together: 30 * Instant.minute, gap: 7 * Instant.day, likeness: 0.5, most: 20 } as const

/**
 * The renames among the tests of a repository, the surest first; ties by the new name.
 *
 * **Details**
 *
 * A name is renamed when it does not run any more and another one of the same job runs for the first time after it: with the same
 * title in another suite or file, or with a similar title in the same suite where it is the only such one. A job whose tests are all
 * new has no renames.
 *
 * @example
 * ```ts
 * import { Rename } from "@lazaret/domain"
 *
 * const job = { pipelineName: "CI", jobName: "unit" }
 * const hour = 3_600_000
 * Rename.proposals([
 *   { ...job, testName: "cart > adds", firstAt: 0, lastAt: 5 * hour },
 *   { ...job, testName: "shop > adds", firstAt: 6 * hour, lastAt: 9 * hour },
 *   { ...job, testName: "pays", firstAt: 0, lastAt: 9 * hour }
 * ]) // => [{ from: "cart > adds", to: "shop > adds", at: 21600000, sharedBy: 1 }]
 * ```
 */
export const proposals = (tests: ReadonlyArray<Seen>): ReadonlyArray<Proposal> => {
  const lastAt = new Map<string, Instant.Instant>()
  const firstAt = new Map<string, Instant.Instant>()
  for (const test of tests) {
    lastAt.set(test.testName, Math.max(lastAt.get(test.testName) ?? 0, test.lastAt))
    firstAt.set(test.testName, Math.min(firstAt.get(test.testName) ?? Infinity, test.firstAt))
  }
  const found = new Map<string, Proposal>()
  for (const job of Map.groupBy(tests, ({ jobName, pipelineName }) => `${pipelineName}\0${jobName}`).values()) {
    for (const fresh of arrivals(job)) {
      const start = fresh[0]?.firstAt ?? 0
      const isGone = ({ testName }: Seen) => {
        const last = lastAt.get(testName) ?? 0
        return last < start && last >= start - rule.gap
      }
      const gone = job.filter((test) => test.firstAt < start && isGone(test)).map(({ testName }) => testName)
      const come = fresh.filter((test) => firstAt.get(test.testName) === test.firstAt)
      for (const proposal of paired(gone, come, start)) found.set(proposal.from, found.get(proposal.from) ?? proposal)
    }
  }
  return [...found.values()].sort((a, b) => b.sharedBy - a.sharedBy || Text.compare(a.to, b.to))
}

/** The renames among names that went and names that came at one time: pairs of the old and the new name. */
export const between = (
  gone: ReadonlyArray<string>,
  come: ReadonlyArray<string>
): ReadonlyArray<readonly [from: string, to: string]> => {
  const pairs = new Map<string, string>()
  pairByTitle(gone, come, pairs)
  const taken = new Set(pairs.values())
  pairInSuite(
    gone.filter((name) => !pairs.has(name)),
    come.filter((name) => !taken.has(name)),
    pairs
  )
  return [...pairs]
}

/** The names that may be renamed to fresh ones, or be their new names: those with a title or a suite of theirs. */
export const related = (fresh: ReadonlyArray<string>, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const parts = fresh.map(partsOf)
  const titles = new Set(parts.map(({ title }) => title))
  const suites = new Set(parts.map(({ suite }) => suite))
  return names.filter((name) => {
    const { suite, title } = partsOf(name)
    return titles.has(title) || suites.has(suite)
  })
}

/** The tests of a job that came together, group by group; those that the job began with are left out. */
const arrivals = (job: ReadonlyArray<Seen>): ReadonlyArray<ReadonlyArray<Seen>> => {
  const groups: Array<Array<Seen>> = []
  for (const test of job.toSorted((a, b) => a.firstAt - b.firstAt)) {
    const group = groups.at(-1)
    const start = group?.[0]?.firstAt
    if (group !== undefined && start !== undefined && test.firstAt <= start + rule.together) group.push(test)
    else groups.push([test])
  }
  return groups.slice(1)
}

const paired = (
  gone: ReadonlyArray<string>,
  fresh: ReadonlyArray<Seen>,
  start: Instant.Instant
): ReadonlyArray<Proposal> => {
  const come = new Map(fresh.map(({ firstAt, testName }) => [testName, firstAt]))
  const changes = between(gone, [...come.keys()]).map(([from, to]) => ({ from, to, part: replacedPart(from, to) }))
  const shared = Map.groupBy(changes, ({ part }) => part)
  return changes.map(({ from, part, to }) => ({
    from,
    to,
    at: come.get(to) ?? start,
    sharedBy: shared.get(part)?.length ?? 1
  }))
}

/** Pairs names with one title: where several have it, those whose suite has moved as that of a pair. */
const pairByTitle = (gone: ReadonlyArray<string>, come: ReadonlyArray<string>, pairs: Map<string, string>): void => {
  const byTitle = Map.groupBy(come, (name) => partsOf(name).title)
  const suites = new Map<string, string>()
  const several: Array<string> = []
  for (const [title, names] of Map.groupBy(gone, (name) => partsOf(name).title)) {
    const others = byTitle.get(title) ?? []
    const [from, to] = [names[0], others[0]]
    if (names.length === 1 && others.length === 1 && from !== undefined && to !== undefined) {
      pairs.set(from, to)
      suites.set(partsOf(from).suite, partsOf(to).suite)
    } else several.push(...names)
  }
  const names = new Set(come)
  for (const name of several) {
    const { separator, suite, title } = partsOf(name)
    const moved = suites.get(suite)
    const to = moved === undefined ? undefined : `${moved}${separator}${title}`
    if (to !== undefined && names.has(to)) pairs.set(name, to)
  }
}

/** Pairs names of one suite whose titles have most words in common, each with the only one that is like it. */
const pairInSuite = (gone: ReadonlyArray<string>, come: ReadonlyArray<string>, pairs: Map<string, string>): void => {
  const bySuite = Map.groupBy(come, (name) => partsOf(name).suite)
  for (const [suite, names] of Map.groupBy(gone, (name) => partsOf(name).suite)) {
    const others = bySuite.get(suite) ?? []
    if (names.length > rule.most || others.length > rule.most) continue
    for (const name of names) {
      const like = others.filter((other) => likeness(name, other) >= rule.likeness)
      const [only] = like
      const back = only === undefined ? [] : names.filter((one) => likeness(one, only) >= rule.likeness)
      if (like.length === 1 && back.length === 1 && only !== undefined) pairs.set(name, only)
    }
  }
}

/** The share of words that two titles have in common. */
const likeness = (a: string, b: string): number => {
  const [one, other] = [wordsOf(a), wordsOf(b)]
  const common = [...one].filter((word) => other.has(word)).length
  return common / Math.max(1, one.size + other.size - common)
}

const wordsOf = (name: string): ReadonlySet<string> =>
  new Set(
    partsOf(name)
      .title.toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )

/** The suite, file or class of a name: what comes before its last part; empty without one. */
export const suiteOf = (name: string): string => partsOf(name).suite

const separators = [" > ", " › ", "::", "#", "/", "."] as const

/** The last part of a name, what is before it, and what is between them. */
const partsOf = (name: string): { readonly suite: string; readonly separator: string; readonly title: string } => {
  for (const separator of separators) {
    const at = name.lastIndexOf(separator)
    if (at > 0) return { suite: name.slice(0, at), separator, title: name.slice(at + separator.length) }
  }
  return { suite: "", separator: "", title: name }
}

/** The replaced part of a name, and its replacement. */
const replacedPart = (from: string, to: string): string => {
  let start = 0
  while (start < from.length && from[start] === to[start]) start += 1
  let end = 0
  const most = Math.min(from.length, to.length) - start
  while (end < most && from.at(-1 - end) === to.at(-1 - end)) end += 1
  return `${from.slice(start, from.length - end)}\0${to.slice(start, to.length - end)}`
}
