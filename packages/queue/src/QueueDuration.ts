/** Durations as people write them in a queue configuration: `30s`, `5 minutes`, `1h 30m`, `2 days`. */
import { Result } from "effect"

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

const units: ReadonlyMap<string, string> = new Map(
  Object.entries({
    s: ["s", "sec", "secs", "second", "seconds"],
    m: ["m", "min", "mins", "minute", "minutes"],
    h: ["h", "hr", "hrs", "hour", "hours"],
    d: ["d", "day", "days"],
    w: ["w", "week", "weeks"]
  }).flatMap(([unit, words]) => words.map((word) => [word, unit] as const))
)

/**
 * The number of seconds that a text means, or why it means none.
 *
 * **Details**
 *
 * Whole numbers, each with a unit from seconds to weeks, written short or long in any case; every unit at most once. A
 * number without a unit is refused: whether it means seconds or minutes would be a guess (our choice).
 *
 * @example
 * ```ts
 * import { QueueDuration } from "@lazaret/queue"
 * import { Result } from "effect"
 *
 * Result.getOrNull(QueueDuration.parse("1h 30m")) // => 5400
 * Result.getOrNull(QueueDuration.parse("2 days")) // => 172800
 * Result.getOrNull(QueueDuration.parse("90")) // => null
 * ```
 */
export const parse = (text: string): Result.Result<number, string> => {
  const written = text.trim().toLowerCase()
  if (written.length > 100 || !/^(?:\d{1,9}\s*[a-z]+\s*)+$/u.test(written)) return refused(text)
  const seen = new Set<string>()
  let total = 0
  for (const [, amount, word] of written.matchAll(/(\d+)\s*([a-z]+)/gu)) {
    const unit = units.get(word ?? "")
    if (unit === undefined) return Result.fail(`has the unknown unit ${JSON.stringify(word)}: use s, m, h, d or w`)
    if (seen.has(unit)) return Result.fail(`says the unit ${unit} twice`)
    seen.add(unit)
    total += Number(amount) * (seconds[unit] ?? 0)
  }
  return Result.succeed(total)
}

const refused = (text: string): Result.Result<never, string> => {
  const isNumber = /^\s*\d+\s*$/u.test(text)
  return Result.fail(
    isNumber ? 'must say its unit, such as "30 s" or "5 minutes"' : 'must be a duration such as "30 s" or "1h 30m"'
  )
}
