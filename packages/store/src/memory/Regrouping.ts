/** Gives the executions in memory to the tests that stand for their names. */
import { type Execution, TestAlias, TestId, TestSet } from "@lazaret/domain"
import { Effect } from "effect"
import * as Slices from "../driver/Slices.ts"
import * as IdentityEntry from "./IdentityEntry.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"

/** Gives every execution to the test that stands for its name by these links, and computes again what depends on it. */
export const regroup = Effect.fnUntraced(function* (
  entry: RepositoryEntry.RepositoryEntry,
  links: ReadonlyArray<TestAlias.Link>
) {
  entry.resolve = TestAlias.resolver(links)
  entry.active = null
  const touched = new Map<IdentityEntry.IdentityEntry, Array<IdentityEntry.StoredExecution>>()
  const runs = [...entry.runs.byJob.values()].flatMap(({ ordered }) => ordered)
  yield* Slices.visit(runs, runsAtOnce, (run) => regroupRun(entry, run, (identity) => touched.set(identity, [])))
  if (touched.size === 0) return
  for (const run of runs) {
    run.executions.forEach((execution, index) => {
      const identity = run.identities[index]
      if (identity !== undefined) touched.get(identity)?.push(execution)
    })
  }
  for (const [identity, executions] of touched) {
    moveBase(entry, identity, executions)
    identity.main = executions
    identity.other = []
  }
  RepositoryEntry.forgetEmpty(entry)
  yield* RepositoryEntry.refold(entry)
  yield* Slices.visit(entry.entries, runsAtOnce, IdentityEntry.forgetContradictions)
})

/** The number of runs that are regrouped before other fibers run: some milliseconds. */
const runsAtOnce = 64

/** An execution of a run, and the name that stands for it now. */
interface Member {
  readonly index: number
  readonly execution: IdentityEntry.StoredExecution
  readonly target: string
}

const regroupRun = (
  entry: RepositoryEntry.RepositoryEntry,
  run: RepositoryEntry.RunEntry,
  touch: (identity: IdentityEntry.IdentityEntry) => void
): void => {
  const all = run.executions.map((execution, index): Member => ({
    index,
    execution,
    target: entry.resolve(nameOf(execution))
  }))
  const names = new Set(
    all.flatMap(({ execution: { fact }, target }) => (fact.testName === target ? [] : [fact.testName, target]))
  )
  if (names.size === 0) return
  const members = all.filter(({ execution: { fact }, target }) => names.has(fact.testName) || names.has(target))
  const executions = [...run.executions]
  const identities = [...run.identities]
  const outcomes = outcomesOf(entry, members, ({ execution }) => execution.fact.testName)
  for (const [index, execution] of moved(members)) {
    const before = identities[index]
    const identity = RepositoryEntry.identityOf(entry, execution.fact.testName, run.context)
    if (execution.stored !== null)
      entry.storedNames.set(TestId.of(execution.stored.testName), execution.stored.testName)
    if (before !== undefined) touch(before)
    touch(identity)
    executions[index] = execution
    identities[index] = identity
  }
  const after = outcomesOf(entry, members, ({ target }) => target)
  run.executions = executions
  run.identities = identities
  run.passed = TestSet.union(TestSet.without(run.passed, outcomes.passed), after.passed)
  run.failed = TestSet.union(TestSet.without(run.failed, outcomes.failed), after.failed)
}

/** The executions under the names that stand for them, by their index, those of each report and test with ids of their own. */
const moved = (members: ReadonlyArray<Member>): ReadonlyMap<number, IdentityEntry.StoredExecution> => {
  const found = new Map<number, IdentityEntry.StoredExecution>()
  const groups = Map.groupBy(members, ({ execution, target }) => `${reportOf(execution)} ${target}`)
  for (const group of groups.values()) {
    const target = group[0]?.target ?? ""
    const stored = group.map(({ execution }) => execution.stored ?? TestAlias.storedOf(execution.fact))
    TestAlias.ordinals(target, stored).forEach((ordinal, place) => {
      const [member, own] = [group[place], stored[place]]
      if (member === undefined || own === undefined) return
      const fact = TestAlias.renamed(member.execution.fact, target, ordinal)
      found.set(member.index, { ...member.execution, id: fact.id, fact, stored: own.testName === target ? null : own })
    })
  }
  return found
}

const nameOf = ({ fact, stored }: IdentityEntry.StoredExecution): string => stored?.testName ?? fact.testName

const reportOf = ({ id }: Pick<IdentityEntry.StoredExecution, "id">): string => id.slice(0, id.lastIndexOf("."))

/** The tests of some executions that passed and that failed, under names. */
const outcomesOf = (
  entry: RepositoryEntry.RepositoryEntry,
  members: ReadonlyArray<Member>,
  nameIn: (member: Member) => string
) => {
  const numbers = (conclusion: Execution.Conclusion) =>
    TestSet.of(
      members
        .filter(({ execution }) => execution.conclusion === conclusion)
        .map((member) => RepositoryEntry.numberOf(entry, nameIn(member)))
    )
  return { passed: numbers("passed"), failed: numbers("failed") }
}

/** Gives what dropped executions led to to the name that stands for a test which has no execution any more. */
const moveBase = (
  entry: RepositoryEntry.RepositoryEntry,
  identity: IdentityEntry.IdentityEntry,
  executions: ReadonlyArray<unknown>
): void => {
  if (executions.length > 0 || identity.dropped === null) return
  const { testName, ...job } = identity.identity
  const target = entry.tests
    .get(entry.resolve(testName))
    ?.find(({ identity: other }) => other.jobName === job.jobName && other.pipelineName === job.pipelineName)
  if (target !== undefined && target.dropped === null) target.dropped = identity.dropped
}
