/** `npm run bench -- failures --generated [--seeds=train|tune|test] [--regimes=N]`: the verdict on generated failures. */
import { option } from "../failures/History.ts"
import { type Judged, judged } from "./Judged.ts"
import * as Regime from "./Regime.ts"
import * as Rules from "./Rules.ts"
import * as Table from "./Table.ts"

/** The lines of the benchmark; `train` is the default, `test` is for the published table alone. */
export const lines = async function* (options: ReadonlyArray<string>): AsyncGenerator<string> {
  const name = option(options, "seeds") ?? "train"
  if (!isSet(name)) {
    yield `!!! SKIPPED: --seeds=${name} is none of ${Object.keys(Regime.seeds).join(", ")} !!!`
    return
  }
  const seeds = Regime.seeds[name].slice(0, Number(option(options, "regimes") ?? Infinity))
  const found: Array<Judged> = []
  const began = performance.now()
  for (const seed of seeds) {
    for (let replica = 0; replica < Regime.repositoriesPerRegime; replica++) {
      for (const each of await judged(Regime.of(seed), replica)) found.push(each)
    }
  }
  const first = found.filter(({ stage }) => stage === "first")
  yield (
    `generated repositories: ${seeds.length} regimes of ${name}, ${Regime.repositoriesPerRegime} repositories each, ${first.length} failures ` +
      `at first sight (${Math.round((performance.now() - began) / 1000)} s); in brackets 95 % intervals by regime`
  )
  yield* Table.lines(first, [...Rules.oneLine, Rules.verdict])
  yield ""
  yield* Table.worst(first, Rules.verdict)
  yield ""
  yield "after each further attempt:"
  yield* Table.lines(
    found.filter(({ stage }) => stage === "again"),
    [Rules.verdict]
  )
}

const isSet = (name: string): name is keyof typeof Regime.seeds => name in Regime.seeds
