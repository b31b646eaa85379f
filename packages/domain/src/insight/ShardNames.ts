/** Jobs whose names differ in one number that counts: they may be the shards of one suite. */
import * as Text from "../text/Text.ts"

/**
 * Job names in groups: those that differ in one number only and count from 0 or 1 without a gap are in one group; all others alone.
 *
 * **Details**
 *
 * A number next to a point, as in a version, does not count. Groups and their names are in code-point order.
 *
 * @example
 * ```ts
 * import { ShardNames } from "@lazaret/domain"
 *
 * ShardNames.groups(["unit 1/2", "unit 2/2", "lint"]) // => [["lint"], ["unit 1/2", "unit 2/2"]]
 * ShardNames.groups(["node 20", "node 22"]) // => [["node 20"], ["node 22"]]
 * ShardNames.groups(["py 3.1", "py 3.2"]) // => [["py 3.1"], ["py 3.2"]]
 * ```
 */
export const groups = (names: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const all = [...new Set(names)].sort(Text.compare)
  const byPattern = new Map<string, Map<number, string>>()
  for (const name of all) {
    for (const { number, pattern } of patternsOf(name)) {
      const known = byPattern.get(pattern) ?? new Map<number, string>()
      byPattern.set(pattern, known)
      known.set(number, name)
    }
  }
  const counting = [...byPattern.values()]
    .filter(isCounting)
    .sort((a, b) => b.size - a.size)
    .map((group) => [...group.values()])
  const taken = new Set<string>()
  const found: Array<ReadonlyArray<string>> = []
  for (const group of counting) {
    if (group.some((name) => taken.has(name))) continue
    for (const name of group) taken.add(name)
    found.push(group.sort(Text.compare))
  }
  for (const name of all) if (!taken.has(name)) found.push([name])
  return found.sort(([a = ""], [b = ""]) => Text.compare(a, b))
}

/** The patterns of a name: each with one of its numbers replaced. Longer names have none. */
const patternsOf = (name: string): ReadonlyArray<{ readonly number: number; readonly pattern: string }> =>
  name.length > longest
    ? []
    : [...name.matchAll(/(?<![\d.])\d{1,3}(?![\d.])/gu)].map(({ 0: text, index }) => ({
        number: Number(text),
        pattern: `${name.slice(0, index)}\0${name.slice(index + text.length)}`
      }))

const longest = 255

const isCounting = (group: ReadonlyMap<number, string>): boolean => {
  const least = Math.min(...group.keys())
  return group.size > 1 && least <= 1 && Math.max(...group.keys()) === least + group.size - 1
}
