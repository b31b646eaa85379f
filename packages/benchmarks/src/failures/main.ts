/** `npm run train:failures [-- --regimes=N]`: proposes numbers of the verdict on a failure, from generated repositories of the training seeds. */
import { FailurePolicy } from "@lazaret/domain"
import { judged, type Judged } from "../generated/Judged.ts"
import * as Regime from "../generated/Regime.ts"
import type * as Truth from "../generated/Truth.ts"
import * as History from "./History.ts"
import { type Example, lossOf, train } from "./Training.ts"

const causes: { readonly [R in Truth.Row]: ReadonlyArray<FailurePolicy.Cause> } = {
  change: ["change"],
  changeNew: ["change"],
  flake: ["flake"],
  mainFlake: ["flake"],
  main: ["change"],
  base: ["base"],
  early: ["base"],
  victim: ["environment"],
  outage: ["environment"],
  dependency: ["environment", "dependency", "base"],
  passed: ["flake", "environment"],
  persistent: ["change", "base", "dependency"]
}

const exampleOf = ({ facts, row, weight }: Judged): Example => ({ facts, causes: causes[row], weight })

const regimes = Number(History.option(process.argv.slice(2), "regimes") ?? 20)
const examples: Array<Example> = []
for (const seed of Regime.seeds.train.slice(0, regimes)) {
  for (let replica = 0; replica < Regime.repositoriesPerRegime; replica++) {
    const found = await judged(Regime.of(seed), replica)
    for (const each of found) if (each.stage === "first") examples.push(exampleOf(each))
  }
}
console.log(
  `${examples.length} failures; ${lossOf(examples, FailurePolicy.defaults).toFixed(4)} bits with the numbers as they are`
)
for (const { factor, loss, path } of train(examples, FailurePolicy.defaults, { least: 0.001, factors: [2, 0.5] })) {
  console.log(`${path.join(".")} × ${factor}: ${loss.toFixed(4)} bits`)
}
