/** `npm run bench -- costs`: the minutes that flakes made red in generated histories, compared with what the stored facts answer. */
import * as Costs from "./costs/GeneratedCosts.ts"
import * as History from "./failures/History.ts"
import * as Regime from "./generated/Regime.ts"
import type { Lines } from "./Section.ts"

/**
 * Prints how near the answer is to the truth.
 *
 * **Details**
 *
 * `--seeds=NAME` names the set of generated repositories (`test`), `--regimes=N` takes the first ones of it.
 */
export const costs: Lines = {
  name: "costs",
  lines: async function* (options) {
    const name = History.option(options, "seeds") ?? "test"
    const known = Object.entries(Regime.seeds).find(([each]) => each === name)
    if (known === undefined) {
      yield `!!! SKIPPED: --seeds=${name} is not one of ${Object.keys(Regime.seeds).join(", ")} !!!`
      return
    }
    const seeds = known[1].slice(0, Number(History.option(options, "regimes") ?? Infinity))
    const found: Array<Readonly<Record<Costs.Known, Costs.Figures>>> = []
    for (const seed of seeds) found.push(await Costs.figuresOf(Regime.of(seed), 0))
    yield `${found.length} generated repositories (${name}); minutes of job runs, each test takes a second`
    yield "| Known | red by flakes | answered | of these right | missed | provable by reruns | of these answered | commits red by flakes alone | answered |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for (const each of ["reruns", "verdicts"] as const)
      yield rowOf(
        each,
        found.map((figures) => figures[each])
      )
  }
}

const rowOf = (name: string, figures: ReadonlyArray<Costs.Figures>): string => {
  const sum = (of: (each: Costs.Figures) => number) => figures.reduce((total, each) => total + of(each), 0)
  const [wasted, answered, right] = [sum((each) => each.wasted), sum((each) => each.found), sum((each) => each.right)]
  const [provable, proven, commits] = [
    sum((each) => each.provable),
    sum((each) => each.proven),
    sum((each) => each.commits.all)
  ]
  const cells = [
    name,
    wasted.toFixed(1),
    answered.toFixed(1),
    percent(right / answered),
    percent(1 - right / wasted),
    provable.toFixed(1),
    percent(proven / provable),
    percent(sum((each) => each.commits.truth) / commits),
    percent(sum((each) => each.commits.answer) / commits)
  ]
  return `| ${cells.join(" | ")} |`
}

const percent = (share: number): string => (Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "–")
