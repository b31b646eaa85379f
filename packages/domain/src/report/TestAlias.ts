/**
 * Aliases: facts that say that several stored test names are one test. A renamed test has one, and so has a mask of names that
 * change with each run.
 *
 * Stored names stay as they are. {@link resolver} gives the name that stands for all of them, so that revoking an alias gives back
 * what was there before. An alias holds in every job: a test id and a quarantine name a test in all of its jobs, too.
 */
import { Result, Schema } from "effect"
import * as ChangingName from "./ChangingName.ts"
import type * as Execution from "./Execution.ts"
import * as Instant from "../time/Instant.ts"
import type * as Report from "./Report.ts"
import * as TestIdentity from "./TestIdentity.ts"
import * as Text from "../text/Text.ts"

/** `name`: the test `from` is now called `to`. `mask`: every name with the mask `from` (`ChangingName.mask`) is the test `to`. */
export const Kind = Schema.Literals(["name", "mask"])

/** Whether an alias is of one name, or of all names with a mask. */
export type Kind = typeof Kind.Type

/** Schema of {@link Link}. */
export const Link = Schema.Struct({ kind: Kind, from: TestIdentity.Name, to: TestIdentity.Name })

/** The content of an alias: which names it is of, and the name that stands for them. */
export type Link = typeof Link.Type

/** Schema of {@link TestAlias}. */
export const TestAlias = Schema.Struct({
  ...Link.fields,
  id: Text.between(1, 100),
  createdAt: Instant.Instant,
  createdBy: Text.Storable,
  revokedAt: Schema.NullOr(Instant.Instant),
  revokedBy: Schema.NullOr(Text.Storable)
})

/** An alias with its author; `revokedAt` and `revokedBy` are null while it holds. */
export type TestAlias = typeof TestAlias.Type

/** The most aliases of a repository that hold at the same time: every process keeps them in memory (our choice). */
export const most = 10_000

/** A text that is equal for links of the same names only. */
export const key = ({ from, kind }: Pick<Link, "from" | "kind">): string => `${kind}\0${from}`

/** Why a link cannot be made. */
export type Refusal =
  | { readonly _tag: "Itself"; readonly link: Link }
  | { readonly _tag: "NoMask"; readonly link: Link }
  | { readonly _tag: "Taken"; readonly link: Link; readonly held: Link }
  | { readonly _tag: "Circle"; readonly link: Link; readonly path: ReadonlyArray<string> }
  | { readonly _tag: "TooMany"; readonly link: Link }

/**
 * The links that must be added to those that hold for wanted ones to hold; the first refusal when one of them cannot.
 *
 * **Details**
 *
 * A link that holds is not added again. A name has one link: another one is refused until the first is revoked. So is a link
 * whose target leads back to its names.
 *
 * @example
 * ```ts
 * import { TestAlias } from "@lazaret/domain"
 * import { Result } from "effect"
 *
 * const link = (from: string, to: string) => ({ kind: "name" as const, from, to })
 * Result.isSuccess(TestAlias.added([link("a", "b")], [link("b", "c")])) // => true
 * Result.isSuccess(TestAlias.added([link("a", "b")], [link("b", "a")])) // => false
 * ```
 */
export const added = (
  held: ReadonlyArray<Link>,
  wanted: ReadonlyArray<Link>
): Result.Result<ReadonlyArray<Link>, Refusal> => {
  const byKey = new Map(held.map((link) => [key(link), link]))
  const fresh: Array<Link> = []
  for (const link of wanted) {
    const known = byKey.get(key(link))
    if (known?.to === link.to) continue
    const refusal = refusalOf(link, known, byKey.size)
    if (refusal !== null) return Result.fail(refusal)
    byKey.set(key(link), link)
    fresh.push(link)
  }
  const step = stepOf([...byKey.values()])
  for (const link of fresh) {
    const path = pathFrom(link.to, step)
    if (path.isCircle) return Result.fail({ _tag: "Circle", link, path: path.names })
  }
  return Result.succeed(fresh)
}

const refusalOf = (link: Link, held: Link | undefined, count: number): Refusal | null => {
  if (link.kind === "name" && link.from === link.to) return { _tag: "Itself", link }
  if (link.kind === "mask" && !link.from.includes(ChangingName.placeholder)) return { _tag: "NoMask", link }
  if (held !== undefined) return { _tag: "Taken", link, held }
  return count >= most ? { _tag: "TooMany", link } : null
}

/** The name that stands for a stored name. */
export type Resolve = (name: string) => string

/** No alias holds: every name stands for itself. */
export const none: Resolve = (name) => name

/**
 * The name that stands for a stored name, by links that {@link added} has let in.
 *
 * **Details**
 *
 * A link of the whole name comes before one of its mask. Links are followed to the end; their order does not matter.
 *
 * @example
 * ```ts
 * import { TestAlias } from "@lazaret/domain"
 *
 * const resolve = TestAlias.resolver([
 *   { kind: "mask", from: "takes <*>", to: "takes <*>" },
 *   { kind: "name", from: "adds", to: "sums" }
 * ])
 * resolve("takes 0x7f3a91c2") // => "takes <*>"
 * resolve("adds") // => "sums"
 * resolve("other") // => "other"
 * ```
 */
export const resolver = (links: ReadonlyArray<Link>): Resolve => {
  if (links.length === 0) return none
  const step = stepOf(links)
  return (name) => (step(name) === undefined ? name : (pathFrom(name, step).names.at(-1) ?? name))
}

const stepOf = (links: ReadonlyArray<Link>): ((name: string) => string | undefined) => {
  const targets = (kind: Kind) => new Map(links.flatMap((link) => (link.kind === kind ? [[link.from, link.to]] : [])))
  const [byName, byMask] = [targets("name"), targets("mask")]
  const masks = [...byMask.keys()].map((mask) => {
    const parts = mask.split(ChangingName.placeholder)
    return { start: parts[0] ?? "", end: parts.at(-1) ?? "" }
  })
  return (name) => {
    const named = byName.get(name)
    if (named !== undefined) return named
    // To compute a mask costs more than to compare the ends of a name with those of some masks.
    if (!masks.some(({ end, start }) => name.startsWith(start) && name.endsWith(end))) return undefined
    const mask = ChangingName.mask(name)
    return mask === null ? undefined : byMask.get(mask)
  }
}

/** The names from one to the end of its links, or to the first that comes again. */
const pathFrom = (name: string, step: (name: string) => string | undefined) => {
  const names = [name]
  const seen = new Set(names)
  let last = name
  for (;;) {
    const next = step(last)
    if (next === undefined || next === last) return { names, isCircle: false }
    names.push(next)
    if (seen.has(next)) return { names, isCircle: true }
    seen.add(next)
    last = next
  }
}

/** An execution of a report by the name in the report and the ordinal in its id (`Report.make`). */
export interface Stored {
  readonly testName: string
  readonly ordinal: number
}

/**
 * The ordinals of the executions of one report that are of one test, in the order given.
 *
 * **Details**
 *
 * Those that the report names as the test keep theirs. Others follow by their name, then by their ordinal, so that no two
 * executions of a test have the same id, and nothing else than the report decides.
 */
export const ordinals = (testName: string, executions: ReadonlyArray<Stored>): ReadonlyArray<number> => {
  let next = executions.reduce(
    (least, one) => (one.testName === testName ? Math.max(least, one.ordinal + 1) : least),
    0
  )
  const found = executions.map(({ ordinal }) => ordinal)
  const others = executions.map((one, index) => ({ ...one, index })).filter((one) => one.testName !== testName)
  others.sort((a, b) => Text.compare(a.testName, b.testName) || a.ordinal - b.ordinal)
  for (const { index } of others) found[index] = next++
  return found
}

/** A report under the names that stand for its own; `stored` are the executions of the report that changed, by their index. */
export interface Applied {
  readonly report: Report.Report
  readonly stored: ReadonlyMap<number, Execution.Execution>
}

/** The report as if it had been uploaded under the names that stand for its own. */
export const applied = (report: Report.Report, resolve: Resolve): Applied => {
  const stored = new Map<number, Execution.Execution>()
  const names = new Set<string>()
  const resolved = report.executions.map((execution, index) => {
    const testName = resolve(execution.testName)
    if (testName === execution.testName) return testName
    stored.set(index, execution)
    names.add(testName)
    return testName
  })
  if (stored.size === 0) return { report, stored }
  const places = new Map<string, Array<number>>()
  resolved.forEach((testName, index) => {
    if (!names.has(testName)) return
    const list = places.get(testName)
    if (list === undefined) places.set(testName, [index])
    else list.push(index)
  })
  const executions = [...report.executions]
  for (const [testName, indexes] of places) {
    const members = indexes.flatMap((index) => report.executions[index] ?? [])
    ordinals(testName, members.map(storedOf)).forEach((ordinal, place) => {
      const [index, member] = [indexes[place], members[place]]
      if (index === undefined || member === undefined || !stored.has(index)) return
      executions[index] = renamed(member, testName, ordinal)
    })
  }
  return { report: { ...report, executions }, stored }
}

/** An execution as its id names it. */
export const storedOf = ({ id, testName }: Pick<Execution.Execution, "id" | "testName">): Stored => ({
  testName,
  ordinal: Number(id.slice(id.lastIndexOf(".") + 1))
})

/** An execution under another name, with another ordinal in its id. */
export const renamed = <E extends Pick<Execution.Execution, "id" | "testName">>(
  execution: E,
  testName: string,
  ordinal: number
): E => ({ ...execution, testName, id: `${execution.id.slice(0, execution.id.lastIndexOf("."))}.${ordinal}` })
