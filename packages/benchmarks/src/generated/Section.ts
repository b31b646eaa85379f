/**
 * `npm run bench -- failures --generated [--seeds=train|tune|test|FROM-TO] [--regimes=N] [--history=FOLDER]`: the verdict on
 * generated failures and on those of real histories, in one table.
 */
import * as History from "../failures/History.ts"
import { type Judged, judged } from "./Judged.ts"
import * as Regime from "./Regime.ts"
import * as Replayed from "./Replayed.ts"
import * as Rules from "./Rules.ts"
import * as Table from "./Table.ts"

/** The lines of the benchmark; `train` is the default, `test` is for the published table alone. */
export const lines = async function* (options: ReadonlyArray<string>): AsyncGenerator<string> {
  const name = History.option(options, "seeds") ?? "train"
  const listed = isSet(name) ? Regime.seeds[name] : rangeOf(name)
  if (listed === null) {
    yield `!!! SKIPPED: --seeds=${name} is not one of ${Object.keys(Regime.seeds).join(", ")}, or two numbers as in 3001-3040 !!!`
    return
  }
  const seeds = listed.slice(0, Number(History.option(options, "regimes") ?? Infinity))
  const found: Array<Judged> = []
  for (const seed of seeds) found.push(...(await regime(seed)))
  const first = found.filter(({ stage }) => stage === "first")
  const sources: Array<Table.Source> = [
    { name: "generated", judged: first },
    ...cold.map(({ name: few, holds }) => ({ name: few, judged: first.filter(({ runs }) => holds(runs)) }))
  ]
  for (const held of Replayed.histories(History.folderOf(options))) {
    const real = await Replayed.judged(held)
    if (real === null) yield skipped(held.folder)
    else sources.push({ name: held.name, judged: real })
  }
  yield (
    `generated: ${seeds.length} regimes of ${name}, ${Regime.repositoriesPerRegime} repositories each; failures at first sight; in ` +
      "brackets 95 % intervals by regime or commit"
  )
  yield* Table.lines(sources, [...Rules.oneLine, Rules.verdict])
  yield ""
  yield* Table.worst(first, Rules.verdict)
  yield ""
  yield* Table.lines(
    [{ name: "after each further attempt", judged: found.filter((one) => one.stage === "again") }],
    [Rules.verdict]
  )
}

const regime = async (seed: number): Promise<ReadonlyArray<Judged>> => {
  const found: Array<ReadonlyArray<Judged>> = []
  for (let replica = 0; replica < Regime.repositoriesPerRegime; replica++) {
    found.push(await judged(Regime.of(seed), replica))
  }
  return found.flat()
}

/** How many runs a repository has when little is known of it. */
const cold = [{ name: "of these in the first 20 runs", holds: (runs: number) => runs <= 20 }]

/** The seeds from one number to another, for a question of its own; null where the text does not say so. */
const rangeOf = (text: string): ReadonlyArray<number> | null => {
  const [, from, to] = /^(\d{1,6})-(\d{1,6})$/u.exec(text) ?? []
  if (from === undefined || to === undefined) return null
  return Array.from({ length: Math.max(0, Number(to) - Number(from) + 1) }, (_, index) => Number(from) + index)
}

const isSet = (name: string): name is keyof typeof Regime.seeds => name in Regime.seeds

const skipped = (folder: string): string =>
  `!!! SKIPPED: the folder ${folder} has no file *.jsonl.gz. Name another one: --history=FOLDER !!!`
