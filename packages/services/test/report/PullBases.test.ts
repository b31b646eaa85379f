import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Report, Repository } from "@lazaret/domain"
import { Forge, pullBases, PullBases } from "@lazaret/services"
import { MemoryStores, RepositoryStore } from "@lazaret/store"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { commit, noon, ref } from "../builders.ts"
import * as SimpleForge from "../platform/simpleForge.ts"

const push = (known: Partial<Report.RunContext> = {}) =>
  Report.contextOf({ pipelineName: "CI", jobName: "unit", commit, branch: "topic", ...known })

/** The base branches of runs at a platform with some open pull requests; `asked` counts the requests. */
const start = Effect.fnUntraced(function* (
  pulls: ReadonlyArray<readonly [head: string, base: string]>,
  defaultBranch: string | null = "main"
) {
  const { faults, forge, pulls: open } = SimpleForge.make()
  open.push(...pulls.map(([head, base], index) => ({ number: index + 1, head, base, source: null })))
  const asked: Array<string> = []
  const counted = Forge.of({
    ...forge,
    pullsAt: (of, head) =>
      Effect.andThen(
        Effect.sync(() => asked.push(head)),
        forge.pullsAt(of, head)
      )
  })
  const layer = Layer.provideMerge(
    pullBases.pipe(Layer.provide(Layer.succeed(Forge, counted))),
    Layer.fresh(MemoryStores.layer)
  )
  const context = yield* Layer.build(layer)
  const settings = { ...Repository.defaultSettings, defaultBranch }
  yield* Effect.provide(
    RepositoryStore.use((store) => store.set(ref, settings, noon)),
    context
  )
  const of = yield* Effect.provide(PullBases, context)
  return { asked, faults, open, of: (run = push()) => Effect.provide(of(ref, run), Logger.layer([])) }
})

const release: ReadonlyArray<readonly [string, string]> = [[commit, "release"]]

describe("the base branch of a run that names none", () => {
  test("a push of the head of one pull request has its base, when that is not the default branch", function* () {
    assert.strictEqual(yield* (yield* start(release)).of(), "release")
    assert.isNull(yield* (yield* start([[commit, "main"]])).of())
    assert.isNull(yield* (yield* start([["b".repeat(40), "release"]])).of())
    assert.isNull(yield* (yield* start([...release, [commit, "next"]])).of(), "two bases")
  })

  test("runs that speak for a branch of their own stay pushes, whatever pull requests are open", function* () {
    const { of, asked } = yield* start(release)
    const others = [{ branch: "main" }, { branch: null }, { branch: "mergify/merge-queue/1" }, { baseBranch: "next" }]
    for (const other of [...others, { commit: "run-7" }]) assert.isNull(yield* of(push(other)), JSON.stringify(other))
    assert.deepStrictEqual(asked, [])
    assert.isNull(yield* (yield* start(release, null)).of(), "the default branch is not known")
    const line = yield* start([...release, ["b".repeat(40), "topic"]])
    assert.isNull(yield* line.of(), "a pull request to the branch is open")
    assert.isNull(yield* (yield* start(release)).of(push({ branch: "release" })))
  })

  test("the platform is asked once for the jobs of a commit, and its failure fails no upload", function* () {
    const { asked, faults, of } = yield* start(release)
    faults.push({ when: "before", reason: "unavailable" })
    assert.isNull(yield* of())
    yield* TestClock.adjust("2 minutes")
    for (const jobName of ["unit", "lint", "end to end"]) assert.strictEqual(yield* of(push({ jobName })), "release")
    assert.lengthOf(asked, 2)
  })
})
