import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { FailureSummary, type FailureVerdict } from "@lazaret/domain"
import { newFailure } from "@lazaret/domain/testing"
import { Audits, checkActions, CheckActions, CommitVerdicts, Forge, type Press, Quarantines } from "@lazaret/services"
import { EventStore, MemoryStores, QuarantineStore, RepositoryStore } from "@lazaret/store"
import { Effect, Layer, Option, Result } from "effect"
import { commit, ref } from "../builders.ts"
import * as SimpleForge from "./simpleForge.ts"

const flaky = (name: string, parts: Partial<FailureVerdict.FailureVerdict> = {}) =>
  newFailure(name, {
    verdict: "flaky",
    probabilityFlaky: 0.99,
    score: 5,
    reason: "passed on this commit in job unit",
    gateReason: "the gate does not let flaky failures pass",
    ...parts
  })

const failures = [
  flaky("adds"),
  flaky("adds", { jobName: "e2e" }),
  flaky("subtracts", { verdict: "new_failure" }),
  flaky("divides", { quarantined: true })
]

const judged = { commit, failures, total: failures.length, summary: FailureSummary.of(failures, true) }

const scenario = Effect.fnUntraced(function* (platform: SimpleForge.SimpleForge) {
  const layer = checkActions.pipe(
    Layer.provideMerge(Layer.mergeAll(Quarantines.layer, Audits.layer)),
    Layer.provideMerge(MemoryStores.layer),
    Layer.provide([
      Layer.succeed(Forge, platform.forge),
      Layer.succeed(CommitVerdicts, { ofCommit: () => Effect.succeed(Option.some(judged)) })
    ])
  )
  const context = yield* Layer.build(Layer.fresh(layer))
  const press = (action: string, delivery: string) =>
    Effect.flatMap(CheckActions, (actions) =>
      actions.press(ref, { action, commit, delivery, by: "ada" } satisfies Press)
    ).pipe(Effect.provide(context))
  return { press, context }
})

describe("the buttons of a check", () => {
  test("quarantine each flaky test that is not quarantined yet, and say who asked for it", function* () {
    const { context, press } = yield* scenario(SimpleForge.make())
    assert.deepStrictEqual(yield* press("quarantine_flaky", "d1"), { _tag: "FlakyTestsQuarantined", tests: 1 })
    assert.deepStrictEqual(yield* press("quarantine_flaky", "d2"), { _tag: "FlakyTestsQuarantined", tests: 0 })
    const held = yield* Effect.provide(
      QuarantineStore.use((store) =>
        store.among(ref, { testNames: ["adds", "subtracts", "divides"], branch: null, now: 0 })
      ),
      context
    )
    assert.deepStrictEqual([...held], ["adds"])
    const log = yield* Effect.provide(
      EventStore.use((store) => store.after(ref, 0, 9)),
      context
    )
    assert.deepStrictEqual(
      log.map(({ actor, type }) => [type, actor]),
      [
        ["check.action_requested", "GitHub user ada"],
        ["quarantine.created", "GitHub user ada"],
        ["check.action_requested", "GitHub user ada"]
      ]
    )
  })

  test("a delivery is carried out once, also when it arrives twice at the same time", function* () {
    const { press } = yield* scenario(SimpleForge.make())
    const twice = [press("rerun_failed_jobs", "d1"), press("rerun_failed_jobs", "d1")].map(Effect.result)
    const answers = yield* Effect.all(twice, { concurrency: 2 })
    assert.strictEqual(answers.filter(Result.isSuccess).length, 1)
    const refusal = answers.find(Result.isFailure)?.failure
    assert.strictEqual(refusal?._tag === "DeliveryRefused" ? refusal.reason : "", "replayed")
  })

  test("a repository where the app is not installed is refused, and nothing is stored", function* () {
    const platform = SimpleForge.make()
    const { context, press } = yield* scenario(platform)
    platform.faults.push({ when: "before", reason: "not_installed" })
    const refusal = yield* Effect.flip(press("quarantine_flaky", "d1"))
    assert.strictEqual(refusal._tag === "DeliveryRefused" ? refusal.reason : "", "not_installed")
    const known = yield* Effect.provide(
      RepositoryStore.use((store) => store.get(ref)),
      context
    )
    assert.isTrue(Option.isNone(known))
  })

  test("an unknown button does nothing, and a refusal of the platform is reported", function* () {
    const platform = SimpleForge.make()
    const { press } = yield* scenario(platform)
    assert.deepStrictEqual(yield* press("delete_everything", "d1"), {
      _tag: "ActionUnknown",
      action: "delete_everything"
    })
    platform.faults.push(null, { when: "before", reason: "refused" })
    assert.deepStrictEqual(yield* press("rerun_failed_jobs", "d2"), { _tag: "ActionFailed", reason: "it failed" })
  })
})
