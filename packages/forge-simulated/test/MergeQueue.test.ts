import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Effect } from "effect"
import { BranchRules, type Hub, MergeQueue, SimulatedGitHub } from "../src/index.ts"

const minute = 60_000

/** A queue of pull requests under a rule with these parameters, which requires the check `unit`. */
const queued = (count: number, parameters: Readonly<Record<string, number | string>>) =>
  Effect.map(SimulatedGitHub.start, (github) => {
    const { hub } = github.server
    const repository = github.addRepository({ owner: "acme", name: "widgets" })
    repository.branchRules?.push(
      { type: "merge_queue", parameters: { ...BranchRules.mergeQueue.parameters, ...parameters } },
      { type: "required_status_checks", parameters: { required_status_checks: [{ context: "unit" }] } }
    )
    for (let index = 0; index < count; index += 1) {
      MergeQueue.enter(repository, github.openPull(repository, { head: `head-${index}` }).number)
    }
    const turn = (at: number) => MergeQueue.turn(hub, repository, at)
    turn(0)
    return { repository, turn, end: (number: number, conclusion: string) => end(repository, number, conclusion) }
  })

const end = (repository: Hub.Repository, number: number, conclusion: string): void => {
  const group = repository.queue?.find((entry) => entry.number === number)?.group
  const members = { name: "unit", status: "completed", conclusion }
  const id = repository.checkRuns.length + 1
  repository.checkRuns.push({ id, headSha: group?.id ?? "", appId: 1, members, annotations: [] })
}

const outcome = ({ evicted, merged }: MergeQueue.Turn) => ({ merged, evicted })

describe("the merge queue of the simulated GitHub", () => {
  test("a green group that is smaller than the minimum waits, and is merged when its time is over", function* () {
    const queue = yield* queued(1, { min_entries_to_merge: 2, min_entries_to_merge_wait_minutes: 5 })
    queue.end(1, "success")
    assert.deepStrictEqual(outcome(queue.turn(4 * minute)), { merged: [], evicted: [] })
    assert.deepStrictEqual(outcome(queue.turn(5 * minute)), { merged: [1], evicted: [] })
  })

  test("a group of the minimum size is merged at once, and a pending one holds back those behind it", function* () {
    const queue = yield* queued(3, { min_entries_to_merge: 2 })
    queue.end(1, "success")
    queue.end(3, "success")
    assert.deepStrictEqual(outcome(queue.turn(minute)), { merged: [], evicted: [] })
    queue.end(2, "skipped")
    assert.deepStrictEqual(outcome(queue.turn(minute)), { merged: [1, 2, 3], evicted: [] })
  })

  test("with HEADGREEN a green group merges those ahead of it, whatever their checks say", function* () {
    const queue = yield* queued(3, { grouping_strategy: "HEADGREEN" })
    queue.end(1, "failure")
    assert.deepStrictEqual(outcome(queue.turn(minute)), { merged: [], evicted: [] })
    queue.end(3, "success")
    assert.deepStrictEqual(outcome(queue.turn(minute)), { merged: [1, 2, 3], evicted: [] })
  })

  test("the last group of a HEADGREEN queue leaves when it fails, and the one ahead is judged by itself", function* () {
    const queue = yield* queued(2, { grouping_strategy: "HEADGREEN" })
    queue.end(2, "failure")
    assert.deepStrictEqual(outcome(queue.turn(minute)), { merged: [], evicted: [2] })
    queue.end(1, "failure")
    assert.deepStrictEqual(outcome(queue.turn(minute)), { merged: [], evicted: [1] })
    assert.deepStrictEqual(
      queue.repository.removals?.map(({ reason }) => reason),
      ["failed_checks", "failed_checks"]
    )
  })

  test("a group whose runs are lost is marked, and the next one of its pull request is not", function* () {
    const { repository, turn } = yield* queued(1, {})
    const isLost = () => repository.queue?.[0]?.group?.isLost === true
    assert.isFalse(isLost())
    MergeQueue.loseRuns(repository, 1)
    MergeQueue.leave(repository, 1)
    MergeQueue.enter(repository, 1)
    turn(minute)
    assert.isTrue(isLost())
    MergeQueue.leave(repository, 1)
    MergeQueue.enter(repository, 1)
    turn(minute)
    assert.isFalse(isLost())
  })

  test("as many groups are built as the rule says, and another one when the first has left", function* () {
    const queue = yield* queued(4, { max_entries_to_build: 2 })
    const built = () => queue.repository.queue?.map(({ group }) => group !== null)
    assert.deepStrictEqual(built(), [true, true, false, false])
    queue.end(1, "success")
    queue.turn(minute)
    assert.deepStrictEqual(built(), [true, true, false])
  })
})
