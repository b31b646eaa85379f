/** The naive rule of contradictions on other branches: each run id of a branch is evaluated as a whole. */
import { type Outage, Text } from "@lazaret/domain"
import { type Fact, nameOf } from "./Fact.ts"
import * as Outages from "./Outages.ts"
import type { OnBranch } from "./Verdicts.ts"

/** The contradictions of every test in every job, by its name, each list in order. */
export const find = (
  main: ReadonlyArray<Fact>,
  facts: ReadonlyArray<Fact>,
  policy: Outage.OutagePolicy
): ReadonlyMap<string, ReadonlyArray<OnBranch>> => {
  const others = facts.filter((fact) => !main.includes(fact) && !(fact.run.branch ?? "").includes(":"))
  const outages = Outages.onBranches(main, others, policy)
  const known = others.filter(
    (fact) => !fact.isForgotten && !outages.has(fact) && fact.execution.conclusion !== "skipped"
  )
  const found = [...Map.groupBy(known, runOf).values()].flatMap((executions) => {
    const sorted = executions.toSorted(
      (a, b) => a.execution.at - b.execution.at || Text.compare(a.execution.id, b.execution.id)
    )
    const by = sorted.find((_, index) => isContradicted(sorted.slice(0, index + 1)))
    if (by === undefined) return []
    const { at, id, testName } = by.execution
    return [{ name: nameOf(testName, by.run), contradiction: { id, at, branch: by.run.branch ?? "" } }]
  })
  return new Map(
    [...Map.groupBy(found, ({ name }) => name)].map(([name, list]) => [
      name,
      list.map(({ contradiction }) => contradiction).sort((a, b) => a.at - b.at || Text.compare(a.id, b.id))
    ])
  )
}

const runOf = ({ execution, run }: Fact): string =>
  JSON.stringify([nameOf(execution.testName, run), run.runId, run.commit, run.branch, run.baseBranch])

const isContradicted = (facts: ReadonlyArray<Fact>): boolean =>
  facts.some(({ execution }) => execution.flaky) ||
  new Set(facts.map(({ execution }) => execution.conclusion)).size === 2
