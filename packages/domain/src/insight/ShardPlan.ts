/** Shards: the parts of a list of tests that run at the same time, each as long as the others. */
import { v5 } from "uuid"
import * as Text from "../text/Text.ts"

/** A file, a class or a test that runs as one piece, and how long it takes. */
export interface Unit {
  readonly name: string
  readonly seconds: number
}

/** The units of one shard, in the order of their names, and how long they take together. */
export interface Shard {
  readonly names: ReadonlyArray<string>
  readonly seconds: number
}

/** The shard of each unit, counted from 0. */
export type Assignment = ReadonlyMap<string, number>

/** The most shards of a plan. */
export const mostShards = 1000

/**
 * The share of the longest shard by which a plan may be longer than the greedy one, to leave units where they were (our choice).
 *
 * A hundredth of a shard is less than what durations differ by from run to run.
 */
export const tolerance = 0.01

/**
 * Assigns units to shards: each unit to one, the longest unit first, to the shard that is the shortest by then.
 *
 * **Details**
 *
 * - Of equally long shards the one with the fewest units gets the unit, then the first one. Equally long units come in the order
 *   of their names. So the plan depends on the set of units alone, not on their order; a name that occurs twice counts once.
 * - `before` is an earlier plan: its units stay on their shards and the others are placed between them. While the longest shard is
 *   more than {@link tolerance} longer than without the earlier plan, it gives a unit to the shortest one. So a new unit moves few
 *   others, mostly none.
 *
 * @example
 * ```ts
 * import { ShardPlan } from "@lazaret/domain"
 *
 * const units = [
 *   { name: "a.test.ts", seconds: 5 },
 *   { name: "b.test.ts", seconds: 4 },
 *   { name: "c.test.ts", seconds: 3 },
 *   { name: "d.test.ts", seconds: 3 }
 * ]
 * ShardPlan.shards(units, ShardPlan.assign(units, 2)).map(({ seconds }) => seconds) // => [8, 7]
 * ```
 */
export const assign = (units: ReadonlyArray<Unit>, total: number, before: Assignment | null = null): Assignment => {
  const ordered = longestFirst(units)
  const greedy = place(ordered, total, new Map())
  if (before === null) return greedy
  const kept = place(ordered, total, before)
  const limit = longestOf(ordered, greedy, total) * (1 + tolerance)
  return level(ordered, kept, { total, limit }) ? kept : greedy
}

/** The shards of an assignment, each with its units in the order of their names. */
export const shards = (units: ReadonlyArray<Unit>, assignment: Assignment): ReadonlyArray<Shard> => {
  const total = Math.max(0, ...[...assignment.values()].map((shard) => shard + 1))
  return ofCount(units, assignment, total)
}

/** The shards of an assignment to `total` shards, those without units included. */
export const ofCount = (units: ReadonlyArray<Unit>, assignment: Assignment, total: number): ReadonlyArray<Shard> => {
  const all = Array.from({ length: total }, () => ({ names: new Array<string>(), seconds: 0 }))
  for (const { name, seconds } of byName(units)) {
    const shard = all[assignment.get(name) ?? -1]
    if (shard === undefined) continue
    shard.names.push(name)
    shard.seconds += seconds
  }
  return all
}

/**
 * How long a run takes with its units in shards.
 *
 * **Details**
 *
 * - `byCount`: the longest shard when each has the same number of neighbouring units; `byTime`: that of a plan.
 * - `longest`: the unit that takes the longest, which no plan can be shorter than; null without units.
 * - `mean`: the shard that is as long as all others, which no plan can be shorter than either.
 */
export interface Gain {
  readonly byCount: number
  readonly byTime: number
  readonly mean: number
  readonly longest: Unit | null
}

/** The gain of an assignment to `total` shards. */
export const gain = (units: ReadonlyArray<Unit>, assignment: Assignment, total: number): Gain => {
  const ordered = byName(units)
  const [longest = null] = longestFirst(units)
  return {
    byCount: longestOf(ordered, equalCounts(ordered, total), total),
    byTime: longestOf(ordered, assignment, total),
    mean: ordered.reduce((sum, { seconds }) => sum + seconds, 0) / total,
    longest
  }
}

/** Assigns the same number of units to each shard, neighbours in the order of their names together. */
export const equalCounts = (units: ReadonlyArray<Unit>, total: number): Assignment => {
  const ordered = byName(units)
  return new Map(ordered.map(({ name }, index) => [name, Math.floor((index * total) / ordered.length)]))
}

/** The length of the longest shard. */
export const longestOf = (units: ReadonlyArray<Unit>, assignment: Assignment, total: number): number =>
  ofCount(units, assignment, total).reduce((most, { seconds }) => Math.max(most, seconds), 0)

/** Each name once, in the order of names; of two units with one name the longer one. */
const byName = (units: ReadonlyArray<Unit>): ReadonlyArray<Unit> => {
  const longest = new Map<string, Unit>()
  for (const unit of units) if (unit.seconds >= (longest.get(unit.name)?.seconds ?? 0)) longest.set(unit.name, unit)
  return [...longest.values()].sort((a, b) => Text.compare(a.name, b.name))
}

const longestFirst = (units: ReadonlyArray<Unit>): ReadonlyArray<Unit> =>
  [...byName(units)].sort((a, b) => b.seconds - a.seconds)

const place = (ordered: ReadonlyArray<Unit>, total: number, fixed: Assignment): Map<string, number> => {
  const assignment = new Map<string, number>()
  const loads = Array.from({ length: total }, () => ({ seconds: 0, units: 0 }))
  const put = ({ name, seconds }: Unit, shard: number): void => {
    const load = loads[shard]
    if (load === undefined) return
    load.seconds += seconds
    load.units += 1
    assignment.set(name, shard)
  }
  const isFixed = ({ name }: Unit): boolean => (fixed.get(name) ?? total) < total
  for (const unit of ordered) if (isFixed(unit)) put(unit, fixed.get(unit.name) ?? 0)
  for (const unit of ordered) if (!isFixed(unit)) put(unit, shortest(loads))
  return assignment
}

/** Moves units from the longest to the shortest shard until none is longer than the limit, and yields whether that worked. */
const level = (
  ordered: ReadonlyArray<Unit>,
  assignment: Map<string, number>,
  { limit, total }: { readonly limit: number; readonly total: number }
): boolean => {
  for (let moves = 0; moves <= ordered.length; moves++) {
    const loads = ofCount(ordered, assignment, total).map(({ seconds }) => seconds)
    const [most, least] = [Math.max(...loads), Math.min(...loads)]
    if (most <= limit) return true
    const [from, to] = [loads.indexOf(most), loads.indexOf(least)]
    const unit = nearest(
      ordered.filter(({ name, seconds }) => assignment.get(name) === from && seconds < most - least),
      (most - least) / 2
    )
    if (unit === undefined) return false
    assignment.set(unit.name, to)
  }
  return false
}

/** The unit whose duration is nearest to a number of seconds. */
const nearest = (units: ReadonlyArray<Unit>, seconds: number): Unit | undefined =>
  units.reduce<Unit | undefined>(
    (best, unit) =>
      best === undefined || Math.abs(unit.seconds - seconds) < Math.abs(best.seconds - seconds) ? unit : best,
    undefined
  )

const shortest = (loads: ReadonlyArray<{ readonly seconds: number; readonly units: number }>): number => {
  let best = 0
  for (const [shard, load] of loads.entries()) {
    const least = loads[best] ?? load
    if (load.seconds < least.seconds || (load.seconds === least.seconds && load.units < least.units)) best = shard
  }
  return best
}

/** An identifier of a set of names, whatever their order: two shards have the same list when it is equal. */
export const listId = (names: ReadonlyArray<string>): string =>
  v5(JSON.stringify([...new Set(names)].sort(Text.compare)), namespace)

/** The assignment of a list of names from the shard of each, in the order of the names. */
export const assignmentOf = (names: ReadonlyArray<string>, shardsOf: ReadonlyArray<number>): Assignment =>
  new Map([...new Set(names)].sort(Text.compare).map((name, index) => [name, shardsOf[index] ?? 0]))

/** The namespace of {@link listId}. */
const namespace = "5f0f6d0a-3a0e-5a54-9a3b-0c6f3a1e7d42"
