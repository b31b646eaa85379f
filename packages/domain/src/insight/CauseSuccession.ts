/** The identity of causes, which they keep while their tests come and go. */
import { v5 } from "uuid"
import * as Failure from "../failure/Failure.ts"
import * as Text from "../text/Text.ts"
import type { Instant } from "../time/Instant.ts"

/** The parts that a cause is recognised by: its tests with weights, and, for an outage, its message and time. */
export interface Recognised {
  readonly isOutage: boolean
  readonly signature: string | null
  readonly firstAt: Instant
  readonly lastAt: Instant
  readonly tests: ReadonlyArray<{ readonly testName: string; readonly runs: number }>
}

/** A cause of before, with its id. */
export interface Former extends Recognised {
  readonly id: string
}

/**
 * A cause of today.
 *
 * **Details**
 *
 * - `id`: that of the cause of before which it continues, else a new one.
 * - `from`: the other causes of before of which at least half went into it (a merge), and, for a new cause, the one that half of it
 *   comes from (a split). In code-point order.
 */
export interface Succession<A> {
  readonly id: string
  readonly cause: A
  readonly isNew: boolean
  readonly from: ReadonlyArray<string>
}

/**
 * Gives each cause of today its id.
 *
 * **Details**
 *
 * The weight of a test is the number of job runs in which it failed with the cause. Pairs with the largest share of common weight are
 * matched first; a cause continues another one when the common weight is at least {@link enough} of the smaller of both. An
 * outage continues one with the same message whose time overlaps. An id is continued once; a new id follows from the first
 * test and the first failure of the cause, so that stores agree on it.
 */
export const of = <A extends Recognised>(
  before: ReadonlyArray<Former>,
  today: ReadonlyArray<A>
): ReadonlyArray<Succession<A>> => {
  const overlaps = overlapsOf(before, today)
  const taken = new Map<number, string>()
  const used = new Set<string>()
  for (const { common, former, index } of overlaps.toSorted(closest(before))) {
    const id = before[former]?.id ?? ""
    if (taken.has(index) || used.has(id) || common < enough) continue
    taken.set(index, id)
    used.add(id)
  }
  const ids = new Set(before.map(({ id }) => id))
  const ofCause = Map.groupBy(overlaps, ({ index }) => index)
  return today.map((cause, index) => {
    const kept = taken.get(index)
    const id = kept ?? newId(cause, ids)
    ids.add(id)
    const isFrom = ({ ofFormer, ofToday }: Overlap) => (kept === undefined ? ofToday : ofFormer) >= enough
    const from = (ofCause.get(index) ?? [])
      .filter(isFrom)
      .map(({ former }) => before[former]?.id ?? "")
      .filter((other) => other !== id)
    return { id, cause, isNew: kept === undefined, from: [...new Set(from)].sort(Text.compare) }
  })
}

/** The share of common weight from which causes are the same. */
export const enough = 0.5

/**
 * The common weight of a cause of before and one of today.
 *
 * **Details**
 *
 * `ofFormer`, `ofToday`: its share of the weight of each; `common`: the larger of both. `weight`: the common weight itself.
 */
interface Overlap {
  readonly former: number
  readonly index: number
  readonly weight: number
  readonly ofFormer: number
  readonly ofToday: number
  readonly common: number
}

const closest =
  (before: ReadonlyArray<Former>) =>
  (a: Overlap, b: Overlap): number =>
    b.ofFormer + b.ofToday - (a.ofFormer + a.ofToday) ||
    b.weight - a.weight ||
    a.index - b.index ||
    Text.compare(before[a.former]?.id ?? "", before[b.former]?.id ?? "")

const overlapsOf = (before: ReadonlyArray<Former>, today: ReadonlyArray<Recognised>): ReadonlyArray<Overlap> => [
  ...overlapsOfTests(before, today),
  ...overlapsOfOutages(before, today)
]

const overlapsOfTests = (before: ReadonlyArray<Former>, today: ReadonlyArray<Recognised>): ReadonlyArray<Overlap> => {
  const places = new Map<string, Array<readonly [former: number, runs: number]>>()
  for (const [former, { isOutage, tests }] of before.entries()) {
    if (isOutage) continue
    for (const { runs, testName } of tests) {
      const list = places.get(testName) ?? []
      list.push([former, runs])
      places.set(testName, list)
    }
  }
  const totals = before.map(totalOf)
  return today.flatMap((cause, index) => {
    if (cause.isOutage) return []
    const shared = new Map<number, { former: number; today: number }>()
    for (const { runs, testName } of cause.tests) {
      for (const [former, other] of places.get(testName) ?? []) {
        const sums = shared.get(former) ?? { former: 0, today: 0 }
        sums.former += other
        sums.today += runs
        shared.set(former, sums)
      }
    }
    const total = totalOf(cause)
    return [...shared].map(([former, sums]): Overlap => {
      const ofFormer = sums.former / Math.max(1, totals[former] ?? 1)
      const ofToday = sums.today / Math.max(1, total)
      return { former, index, weight: sums.today, ofFormer, ofToday, common: Math.max(ofFormer, ofToday) }
    })
  })
}

const totalOf = ({ tests }: Recognised): number => tests.reduce((sum, { runs }) => sum + runs, 0)

const overlapsOfOutages = (before: ReadonlyArray<Former>, today: ReadonlyArray<Recognised>): ReadonlyArray<Overlap> => {
  const bySignature = Map.groupBy(
    [...before.entries()].filter(([, { isOutage }]) => isOutage),
    ([, { signature }]) => signature
  )
  return today.flatMap((cause, index) =>
    (cause.isOutage ? (bySignature.get(cause.signature) ?? []) : [])
      .filter(([, { firstAt, lastAt }]) => firstAt <= cause.lastAt && cause.firstAt <= lastAt)
      .map(([former]): Overlap => ({ former, index, weight: 1, ofFormer: 1, ofToday: 1, common: 1 }))
  )
}

/** The id of a cause that continues no former cause. */
const newId = ({ firstAt, isOutage, signature, tests }: Recognised, ids: ReadonlySet<string>): string => {
  const first = tests.map(({ testName }) => testName).reduce((a, b) => (Text.compare(a, b) <= 0 ? a : b), last)
  const name = isOutage ? `outage\0${signature ?? ""}\0${firstAt}` : `tests\0${first}\0${firstAt}`
  for (let again = 0; ; again++) {
    const id = v5(`cause\0${name}\0${again}`, Failure.namespace)
    if (!ids.has(id)) return id
  }
}

const last = "\u{10FFFF}"
