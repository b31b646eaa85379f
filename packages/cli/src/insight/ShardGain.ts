/** Sentences about what a plan of shards gains. */
import type { Schemas } from "@lazaret/api"
import { plain } from "../terminal/Terminal.ts"

type Share = typeof Schemas.ShardShare.Type

type Question = Pick<typeof Schemas.ShardQuestion.Type, "by" | "index" | "names" | "total">

/**
 * The lines about a share.
 *
 * **Details**
 *
 * `8 shards by count: 14.1 min; by time: 9.8 min; the longest file bounds it at 9.1 min`. A piece that is longer than a mean shard is
 * named. Without a known duration, the plan is one by count.
 */
export const lines = (share: Share, { by, index, names, total }: Question): ReadonlyArray<string> => {
  const { gain, known } = share
  const { longest } = gain
  if (longest === null) return []
  const own = `shard ${index} of ${total}: ${share.names.length} of ${names.length} ${names.length === 1 ? by : plurals[by]}`
  if (known === 0) {
    return [
      `${own}, split by count: no ${by} of the list has a recorded duration. Upload reports of these tests, and check that the ` +
        `names are ${by === "file" ? "paths of test files" : `the names of ${plurals[by]}`}.`
    ]
  }
  const bound = `the longest ${by} bounds it at ${timeOf(longest.seconds)}`
  const times = longest.seconds / gain.mean
  return [
    `${total} shards by count: ${timeOf(gain.by_count)}; by time: ${timeOf(gain.by_time)}; ${bound}`,
    ...(times > 1 ? [`${plain(longest.name)} alone takes ${times.toFixed(1)} × a shard: split it to gain more`] : []),
    `${own}, about ${timeOf(share.seconds)}${known < names.length ? `; ${names.length - known} new, with the median` : ""}`
  ]
}

const plurals: { readonly [P in Question["by"]]: string } = { file: "files", class: "classes", test: "tests" }

/** Minutes with one decimal, from a minute on. */
const timeOf = (seconds: number): string =>
  seconds < 60 ? `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`
