/** Plan files: the durations from which all shards of a run make the same plan, also without a server. */
import type { Schemas } from "@lazaret/api"
import { ShardPlan, ShardWeight } from "@lazaret/domain"
import { Effect, Schema } from "effect"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as TextFile from "../terminal/TextFile.ts"
import { plain } from "../terminal/Terminal.ts"

const Content = Schema.Struct({
  by: ShardWeight.Piece,
  durations: Schema.Array(Schema.Struct({ name: Schema.String, seconds: ShardWeight.Seconds }))
})

/** A plan file. */
export interface PlanFile {
  readonly path: string
  readonly durations: ReadonlyArray<ShardPlan.Unit>
}

type Question = typeof Schemas.ShardQuestion.Type

/** The plan file of `--when-away`; null for `all` and `fail`. */
export const ofFlag = Effect.fnUntraced(function* (flag: string, by: Question["by"]) {
  if (flag === "all" || flag === "fail") return null
  const text = yield* TextFile.read(flag, { bytes: 64_000_000, subject: "a plan of lazaret shard plan" })
  const content = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Content))(text).pipe(
    Effect.mapError(() =>
      CommandFailure.usage(`${plain(flag)} is not a plan: write one with lazaret shard plan > ${plain(flag)}.`)
    )
  )
  if (content.by !== by) {
    return yield* CommandFailure.usage(
      `${plain(flag)} has durations by ${content.by}, not by ${by}: give --by ${content.by}.`
    )
  }
  return { path: flag, durations: content.durations }
})

/** The duration of each name: that of the file, and the median of the others for a name that the file does not have. */
export const secondsOf = (file: PlanFile, names: ReadonlyArray<string>): ReadonlyArray<number> =>
  unitsOf(file, names).map(({ seconds }) => seconds)

/** The share of a shard by the file alone. */
export const shareOf = (
  file: PlanFile,
  { index, names, total }: Pick<Question, "index" | "names" | "total">
): typeof Schemas.ShardShare.Type => {
  const units = unitsOf(file, names)
  const assignment = ShardPlan.assign(units, total)
  const shard = ShardPlan.ofCount(units, assignment, total)[index - 1]
  const { byCount, byTime, longest, mean } = ShardPlan.gain(units, assignment, total)
  return {
    names: shard?.names ?? [],
    seconds: shard?.seconds ?? 0,
    is_new: false,
    known: names.length,
    gain: { by_count: byCount, by_time: byTime, mean, longest }
  }
}

/** The share of a shard that runs all. */
export const everything = (names: ReadonlyArray<string>): typeof Schemas.ShardShare.Type => ({
  names,
  seconds: 0,
  is_new: false,
  known: 0,
  gain: { by_count: 0, by_time: 0, mean: 0, longest: null }
})

const unitsOf = ({ durations }: PlanFile, names: ReadonlyArray<string>): ReadonlyArray<ShardPlan.Unit> =>
  ShardWeight.weigh(
    names,
    "test",
    durations.map(({ name, seconds }) => ({ testName: name, file: null, seconds }))
  ).units
