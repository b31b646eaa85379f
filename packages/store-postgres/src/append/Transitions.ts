/** The transitions of verdicts that a write causes. */
import type { Event } from "@lazaret/domain"
import { Effect } from "effect"
import * as BlockCounts from "../codec/BlockCounts.ts"
import * as Parameter from "../database/Parameter.ts"
import * as Pulls from "../repository/Pulls.ts"
import * as Names from "../blocks/Names.ts"
import * as BlockRows from "../blocks/BlockRows.ts"
import * as Transition from "../blocks/Transition.ts"
import type { Session } from "../repository/Session.ts"

/** The transitions of tests between the states before and after a computation. */
export const around = Effect.fnUntraced(function* <E>(
  session: Session,
  tests: ReadonlySet<number>,
  computation: Effect.Effect<void, E>
) {
  const blocks = [...new Set([...tests].map((testNo) => Math.floor(testNo / BlockCounts.slots)))]
  const before = yield* BlockRows.selectIntact(session, blocks)
  yield* computation
  const transitions: Array<Transition.Transition> = []
  for (const [blockNo, after] of yield* BlockRows.selectIntact(session, blocks)) {
    transitions.push(
      ...Transition.between(blockNo, before.get(blockNo)?.counts ?? null, {
        counts: after.counts,
        slotAt: (slot) => after.slots[slot]
      })
    )
  }
  return transitions.filter(({ testNo }) => tests.has(testNo))
})

/** The moves in the events of transitions. */
export const describe = Effect.fnUntraced(function* (
  session: Session,
  transitions: ReadonlyArray<Transition.Transition>
) {
  const { repositoryId, sql } = session
  const rows = yield* selectTests(
    session,
    transitions.map(({ testNo }) => testNo)
  )
  const tests = new Map(rows.map((row) => [row.test_no, row]))
  const names = yield* Names.select(sql, repositoryId, {
    executions: [],
    commits: transitions.flatMap(({ commit }) => commit ?? [])
  })
  const commits = transitions.map(({ commit }) => (commit === null ? null : names.commit(commit)))
  const pulls = yield* Pulls.select(sql, repositoryId, [...new Set(commits.filter((commit) => commit !== null))])
  return transitions.flatMap(({ from, ranAt, rule, testNo, to }, index): ReadonlyArray<Event.Move> => {
    const test = tests.get(testNo)
    if (test === undefined) return []
    const identity = { testName: test.test_name, pipelineName: test.pipeline_name, jobName: test.job_name }
    const commit = commits[index] ?? null
    const pull = commit === null ? null : (pulls.get(commit) ?? null)
    return [{ identity, from, to, rule: rule ?? "start", commit, ranAt, pull }]
  })
})

interface TestRow {
  readonly test_no: number
  readonly test_name: string
  readonly pipeline_name: string
  readonly job_name: string
}

const selectTests = ({ repositoryId, sql }: Session, tests: ReadonlyArray<number>) => sql<TestRow>`
  SELECT t.test_no, t.test_name, j.pipeline_name, j.job_name
  FROM unnest(${Parameter.int4s(tests)}) AS n (test_no)
  CROSS JOIN LATERAL (
    SELECT test_no, job_no, test_name
    FROM tests
    WHERE repository_id = ${repositoryId} AND test_no = n.test_no
    OFFSET 0
  ) t
  CROSS JOIN LATERAL (
    SELECT pipeline_name, job_name
    FROM jobs
    WHERE repository_id = ${repositoryId} AND job_no = t.job_no
    OFFSET 0
  ) j`
