/** A merge queue that is driven at the simulated GitLab. */
import { assert, describe, it } from "@effect/vitest"
import { Lab } from "@lazaret/forge-simulated"
import { Page } from "@lazaret/domain"
import { EventStore } from "@lazaret/store"
import { Effect } from "effect"
import { ref } from "./connection.ts"
import { fileOf, start } from "./queue.ts"

const pushed = fileOf("queue_branch_merge_method: fast-forward")

type Queue = Effect.Success<ReturnType<typeof start>>

const tipOf = ({ project }: Queue): string => project.branches.get("main") ?? ""

/** Opens merge requests that each add a file, and queues them. */
const entered = Effect.fnUntraced(function* (queue: Queue, ...names: ReadonlyArray<string>) {
  const opened = names.map((name) => queue.open({ [name]: name }))
  for (const { iid } of opened) yield* queue.ask(iid)
  return opened
})

const begun = (queue: Queue) =>
  Effect.map(queue.log, (events) =>
    events.flatMap((event) => (event.kind === "issued" && event.command.kind === "build" ? [event.command] : []))
  )

/** Every commit of a landing was tested: its pipeline on a branch of the queue is green. */
const isTested = ({ project }: Queue, sha: string): boolean =>
  project.pipelines.some(
    (each) =>
      each.ref.startsWith("lazaret/queue/") &&
      each.status === "success" &&
      project.objects.commit(each.sha)?.tree === project.objects.commit(sha)?.tree
  )

describe("a queue that is driven at GitLab", () => {
  it.effect("a batch is tested on one branch, and the tested commit becomes the default branch", () =>
    Effect.gen(function* () {
      const queue = yield* start(pushed)
      yield* entered(queue, "a", "b", "c")
      yield* queue.steps(8)
      assert.deepStrictEqual(queue.states(), ["merged", "merged", "merged"])
      const tip = tipOf(queue)
      assert.isTrue(isTested(queue, tip) && queue.project.pipelines.some(({ sha }) => sha === tip))
      assert.containsAllKeys(queue.filesOf(tip), ["a", "b", "c", "src/main"])
      assert.match(queue.project.objects.commit(tip)?.message ?? "", /^Merge merge request !3\b/u)
      assert.deepStrictEqual(
        [...queue.project.branches.keys()].filter((name) => name.startsWith("lazaret/")),
        []
      )
    })
  )

  it.effect("merge requests are merged one by one as the trees that were tested", () =>
    Effect.gen(function* () {
      const queue = yield* start(fileOf("merge_method: squash"), { mustSucceed: true })
      yield* entered(queue, "a", "b")
      yield* queue.steps(10)
      assert.deepStrictEqual(queue.states(), ["merged", "merged"])
      assert.isTrue(isTested(queue, tipOf(queue)))
      assert.deepStrictEqual(
        queue.project.mergeRequests.map(({ squashCommit }) => typeof squashCommit),
        ["string", "string"]
      )
      assert.isNull((yield* queue.state).pause)
    })
  )

  it.effect("the culprit of a batch leaves, and the others land", () =>
    Effect.gen(function* () {
      const queue = yield* start(pushed)
      yield* entered(queue, "a", "bad", "c")
      yield* queue.steps(14)
      assert.deepStrictEqual(queue.states(), ["merged", "opened", "merged"])
      assert.doesNotHaveAnyKeys(queue.filesOf(tipOf(queue)), ["bad"])
      assert.isTrue(isTested(queue, tipOf(queue)))
    })
  )

  it.effect("a landing that GitLab's rules refuse holds the members, with its words", () =>
    Effect.gen(function* () {
      const queue = yield* start(pushed)
      queue.project.protectedRefs.add("main")
      queue.project.members.set("server-token", Lab.roles.developer)
      yield* entered(queue, "a", "b")
      yield* queue.steps(8)
      assert.deepStrictEqual(queue.states(), ["opened", "opened"])
      const holds = (yield* queue.state).entries.map(({ hold }) => JSON.stringify(hold))
      assert.match(holds.join(" "), /not allowed to push code to protected branches/u)
    })
  )

  it.effect("a token that may write nothing any more holds nobody, and the queue goes on by itself when it may", () =>
    Effect.gen(function* () {
      const queue = yield* start(pushed)
      queue.project.members.set("server-token", Lab.roles.reporter)
      yield* entered(queue, "a", "b")
      yield* queue.steps(10)
      const { entries, inflight } = yield* queue.state
      assert.deepStrictEqual(
        [entries.map(({ hold }) => hold), inflight.map(({ command }) => command.kind)],
        [[null, null], ["build"]]
      )
      assert.match(inflight[0]?.refusal ?? "", /403/u)
      const events = EventStore.use((store) =>
        store.page(ref, { types: ["queue.write_refused"], from: Page.start, limit: 10 })
      )
      assert.lengthOf((yield* queue.run(events)).rows, 1)
      queue.project.members.set("server-token", Lab.roles.maintainer)
      yield* queue.steps(14)
      assert.deepStrictEqual(queue.states(), ["merged", "merged"])
    })
  )

  it.effect("a merge that yields another tree than the tested one stops the queue", () =>
    Effect.gen(function* () {
      const queue = yield* start(fileOf("merge_method: merge"))
      const { objects } = queue.project
      const { merge } = objects
      yield* entered(queue, "a", "b")
      // GitLab's own merges go wrong from here on, as those of another platform did once.
      const broken = {
        ...objects,
        merge: (...trees: Parameters<typeof merge>) => objects.tree(merge(...trees), { surprise: "!" })
      }
      yield* queue.steps(2)
      Object.assign(queue.project, { objects: broken })
      yield* queue.steps(8)
      assert.match((yield* queue.state).pause?.reason ?? "", /^tree_mismatch/u)
      assert.deepStrictEqual(queue.states(), ["merged", "opened"])
      assert.isAbove((yield* begun(queue)).length, 0)
    })
  )
})

describe("a merge train of GitLab, mirrored", () => {
  /** A train of one merge request, whose pipeline tests the merge of its head with the tip. */
  const train = Effect.gen(function* () {
    const queue = yield* start(fileOf("merge_method: merge", "mirror"), { hasTrains: true })
    const { gitLab, project } = queue
    const mergeRequest = queue.open({ a: "a" })
    const onto = tipOf(queue)
    const tree = project.objects.commit(mergeRequest.sha)?.tree ?? ""
    const sha = project.objects.write({ tree, parents: [onto, mergeRequest.sha], message: "train" })
    const pipeline = gitLab.addPipeline(project, {
      sha,
      ref: `refs/merge-requests/${mergeRequest.iid}/train`,
      status: "running"
    })
    project.train.push({ iid: mergeRequest.iid, target: "main", status: "fresh", pipeline })
    yield* queue.steps(2)
    return { ...queue, mergeRequest, sha, onto, tree }
  })

  for (const isRight of [true, false]) {
    it.effect(`a merge ${isRight ? "of the tested tree is fine" : "of another tree is noticed"}`, () =>
      Effect.gen(function* () {
        const queue = yield* train
        const { gitLab, mergeRequest, project, tree } = queue
        assert.deepStrictEqual(
          (yield* queue.state).groups.map(({ members }) => members),
          [[{ number: mergeRequest.iid, head: mergeRequest.sha }]]
        )
        const landed = isRight ? tree : project.objects.tree(tree, { surprise: "!" })
        const commit = project.objects.write({
          tree: landed,
          parents: [queue.onto, mergeRequest.sha],
          message: "merged"
        })
        project.train.splice(0)
        gitLab.merge(project, mergeRequest, commit)
        yield* queue.steps(3)
        const outcomes = (yield* queue.log).flatMap((event) => (event.kind === "tree_audited" ? [event.outcome] : []))
        assert.deepStrictEqual(outcomes, [isRight ? "equal" : "mismatch"])
      })
    )
  }

  it.effect("a project without trains has no queue", () =>
    Effect.gen(function* () {
      const queue = yield* start(fileOf("merge_method: merge", "mirror"))
      yield* queue.steps(2)
      assert.deepStrictEqual((yield* queue.state).groups, [])
    })
  )
})
