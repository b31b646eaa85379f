import { Page, type Repository, Retention, TestId } from "@lazaret/domain"
import {
  ExecutionStore,
  MemoryStores,
  QuarantineStore,
  RepositoryStore,
  RetentionStore,
  TestStore,
  UpkeepStore
} from "@lazaret/store"
import { Case, Command, JobRun, Law, Policy, Sample } from "@lazaret/store-conformance"
import { describe, layer } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as Fact from "./recomputation/Fact.ts"
import * as Recomputation from "./recomputation/Recomputation.ts"

const Step = Schema.Union([
  ...Array.from({ length: 12 }, () => Command.Append.annotate({})),
  Command.Quarantine,
  Command.Remove,
  Command.Retain
])

type Step = typeof Step.Type

const lives = Arbitrary.all({
  choice: Arbitrary.schema(Policy.Choice),
  steps: Arbitrary.array(Arbitrary.schema(Step), { maxLength: 60 })
})

/**
 * The settings in force. Dropped executions were folded under the default branch of that time: where something is
 * dropped it stays the same.
 */
const settingsOf = (choice: Policy.Choice, steps: ReadonlyArray<Step>): Repository.RepositorySettings => {
  const settings = Policy.settingsOf(choice)
  return steps.some(({ _tag }) => _tag === "Retain") ? { ...settings, defaultBranch: "main" } : settings
}

/** Does a step in the store and in the recomputation; both must answer the same. */
const step = Effect.fnUntraced(function* (
  ref: Repository.RepositoryRef,
  facts: Recomputation.Facts,
  command: Step,
  index: number
) {
  switch (command._tag) {
    case "Append": {
      const report = JobRun.reportOf(command.run, `report ${index}`)
      Recomputation.record(facts, report)
      return yield* ExecutionStore.use((store) => store.append(ref, report))
    }
    case "Quarantine": {
      const { branch, hour, isAuto, testName } = command
      const source = isAuto ? "auto" : "manual"
      const record = Sample.quarantine(idOf(ref, facts.quarantines.length), {
        testName,
        branch,
        source,
        createdAt: Sample.noon + hour
      })
      const isInserted = yield* QuarantineStore.use((store) => store.insert(ref, record))
      return yield* Law.equal(isInserted, Recomputation.quarantine(facts, record), `step ${index} inserts`)
    }
    case "Remove": {
      const id = facts.quarantines[command.place % Math.max(1, facts.quarantines.length)]?.id ?? idOf(ref, 0)
      const removal = { at: Sample.noon, by: "key 2" }
      const isRemoved = yield* QuarantineStore.use((store) => store.remove(ref, id, removal))
      return yield* Law.equal(isRemoved, Recomputation.end(facts, id, removal), `step ${index} removes`)
    }
    case "Retain": {
      const horizon = Retention.startOfWeek(Sample.noon - command.weeks * Retention.week)
      Recomputation.drop(facts, horizon)
      return yield* RetentionStore.use((store) => store.drop(ref, horizon))
    }
  }
})

const idOf = ({ repository }: Repository.RepositoryRef, number: number): string =>
  repository.slice(-36, -12) + String(number).padStart(12, "0")

/** The answers of the store about every test in every job. */
const shownBy = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
  const found: Array<Recomputation.Shown> = []
  for (const testName of JobRun.testNames) {
    const testId = TestId.of(testName)
    const records = yield* TestStore.use((store) => store.get(ref, testId, Sample.noon))
    const histories = yield* ExecutionStore.use((store) => store.history(ref, testId))
    for (const { identity, state } of Option.getOrElse(records, () => [])) {
      const name = Fact.nameOf(testName, identity)
      const history = Option.getOrElse(histories, () => []).find(
        (each) => Fact.nameOf(testName, each.identity) === name
      )
      const executions = history?.executions ?? []
      found.push({
        name,
        status: state.status,
        executions: executions.map(({ conclusion, excused, id }) => [id, conclusion, excused] as const)
      })
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
})

describe("the recomputation from all facts", () => {
  layer(MemoryStores.layer)((it) => {
    it.effect(
      "the recomputation from all facts agrees with the store on health, outages and quarantines, also after facts were dropped and after a refold",
      () =>
        Law.forAll(
          lives,
          ({ choice, steps }) =>
            Effect.gen(function* () {
              const ref = yield* Case.repository
              const settings = settingsOf(choice, steps)
              const facts = Recomputation.none(settings)
              yield* RepositoryStore.use((store) => store.set(ref, settings, Sample.noon))
              for (const [index, command] of steps.entries()) yield* step(ref, facts, command, index)
              yield* Law.equal(yield* shownBy(ref), Recomputation.shown(facts), "the tests")
              const { rows } = yield* QuarantineStore.use((store) =>
                store.page(ref, Sample.listing({ from: Page.start, limit: null }))
              )
              yield* Law.equal(rows, Recomputation.active(facts), "the active quarantines")
              yield* Law.equal(yield* UpkeepStore.use((store) => store.verify(ref)), [], "the differences")
              yield* UpkeepStore.use((store) => store.refold(ref))
              yield* Law.equal(yield* shownBy(ref), Recomputation.shown(facts), "the tests after a refold")
            }),
          { runs: 150, seed: 11 }
        )
    )
  })
})
