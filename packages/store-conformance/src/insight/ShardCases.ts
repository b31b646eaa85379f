/** The law of shards. */
import { Instant, ShardPlan } from "@lazaret/domain"
import { RepositoryStore, shardBounds, type ShardRequest, ShardStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample } from "../law/index.ts"

const units = Array.from({ length: 40 }, (_, index) => ({
  name: `tests/${index}_\u{1f600}.py`,
  seconds: 1 + ((index * 7) % 13)
}))

const request = (parts: Partial<ShardRequest> = {}): ShardRequest => ({
  runId: "run 1",
  jobName: "unit",
  total: 4,
  piece: "file",
  at: Sample.noon,
  units,
  isAlone: false,
  ...parts
})

/** The cases of shards. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "ShardStore",
    "the first request of a run fixes its plan, and later requests do not change it",
    function* (ref) {
      const store = yield* ShardStore
      const first = yield* store.fix(ref, request())
      yield* Law.equal(first.isNew, true, "the first request")
      yield* Law.equal(first.plan.listId, ShardPlan.listId(units.map(({ name }) => name)), "the list")
      yield* Law.equal(first.plan.shards.length, units.length, "the pieces")
      const slower = units.map(({ name, seconds }) => ({ name, seconds: 20 - seconds }))
      const later = request({ units: slower.toReversed(), at: Sample.noon + Instant.hour, total: 5 })
      yield* Law.equal(yield* store.fix(ref, later), { plan: first.plan, isNew: false }, "a later request")
      const other = yield* store.fix(ref, request({ jobName: "e2e" }))
      yield* Law.equal([other.isNew, other.plan.jobName], [true, "e2e"], "another job")
      const elsewhere = yield* Case.repository
      yield* Law.equal((yield* store.fix(elsewhere, request())).isNew, true, "another repository")
      yield* Law.equal(Option.isSome(yield* RepositoryStore.use((all) => all.get(elsewhere))), true, "it is created")
    }
  ),

  Case.make("ShardStore", "of concurrent first requests one fixes the plan, and all get it", function* (ref) {
    const store = yield* ShardStore
    const requests = [0, 1, 2, 3, 4].map((turn) =>
      request({ units: units.map(({ name, seconds }) => ({ name, seconds: (seconds * (turn + 3)) % 11 })) })
    )
    const answers = yield* Effect.all(
      requests.map((each) => store.fix(ref, each)),
      { concurrency: 5 }
    )
    yield* Law.equal(answers.filter(({ isNew }) => isNew).length, 1, "requests that fixed the plan")
    yield* Law.equal(new Set(answers.map(({ plan }) => JSON.stringify(plan))).size, 1, "plans")
  }),

  Case.make("ShardStore", "the plan of the next run keeps each piece in its shard of the latest plan", function* (ref) {
    const store = yield* ShardStore
    const { plan } = yield* store.fix(ref, request())
    // Durations that differ a little: a plan of these units alone puts pieces into other shards.
    const measured = units.map(({ name, seconds }, index) => ({ name, seconds: seconds + index / 1000 }))
    const added = [{ name: "a_new.py", seconds: 0.5 }, ...measured]
    const next = yield* store.fix(ref, request({ runId: "run 2", units: added }))
    yield* Law.equal(next.plan.shards.slice(1), plan.shards, "the shards of the pieces of before")
    const alone = yield* store.fix(ref, request({ runId: "run 4", units: added, isAlone: true }))
    const assignment = ShardPlan.assign(added, 4)
    yield* Law.equal(
      alone.plan.shards,
      [...assignment.keys()].sort().map((name) => assignment.get(name) ?? 0),
      "alone"
    )
    const shorter = yield* store.fix(ref, request({ runId: "run 3", total: 2 }))
    yield* Law.equal(Math.max(...shorter.plan.shards), 1, "another number of shards")
  }),

  Case.make(
    "ShardStore",
    "a plan is deleted after the days in which a CI system may run its job again",
    function* (ref) {
      const store = yield* ShardStore
      yield* store.fix(ref, request())
      const last = Sample.noon + shardBounds.days * Instant.day
      const before = yield* store.fix(ref, request({ runId: "run 2", at: last }))
      yield* Law.equal(before.isNew, true)
      yield* Law.equal((yield* store.fix(ref, request())).isNew, false, "the first plan within its days")
      yield* store.fix(ref, request({ runId: "run 3", at: last + 1 }))
      yield* Law.equal((yield* store.fix(ref, request())).isNew, true, "the first plan after its days")
    }
  )
]
