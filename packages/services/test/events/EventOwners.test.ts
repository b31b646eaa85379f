import { Event } from "@lazaret/domain"
import { EventOwners, Ingestion, OwnersFiles } from "@lazaret/services"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { given, memory, noon, ref } from "../builders.ts"

const services = Layer.fresh(EventOwners.layer).pipe(Layer.provideMerge(memory))

const about = (testName: string | null): Event.Event => ({
  ...Event.paused({ reason: "release", pauseDate: noon }, noon, "key 1"),
  testName
})

const ownersOf = (...names: ReadonlyArray<string | null>) =>
  EventOwners.use((owners) =>
    Effect.map(owners.owned(ref, names.map(about)), (events) => events.map((event) => event.owners))
  )

/** Tests of two files and one of no file; the last one ran 40 days before noon. */
const history = Effect.gen(function* () {
  const ingestion = yield* Ingestion
  const upload = (testName: string, filepath: string | null, hoursAgo: number) => {
    const made = given({ commit: testName, hoursAgo, test: testName })
    return ingestion.record(ref, { ...made, cases: made.cases.map((each) => ({ ...each, filepath })) })
  }
  yield* upload("a*", "src/a.ts", 1)
  yield* upload("ab", "b.ts", 1)
  yield* upload("c", null, 1)
  yield* upload("old", "src/old.ts", 40 * 24)
})

describe("EventOwners", () => {
  it.effect("an event has the owners of the file of its test, and tests of nobody are named as such", () =>
    TestClock.setTime(noon).pipe(
      Effect.andThen(
        Effect.gen(function* () {
          yield* history
          assert.deepStrictEqual(yield* ownersOf("a*", null), [null, null], "without a CODEOWNERS")
          const files = yield* OwnersFiles
          yield* files.upload(ref, { text: "/src/ @acme/web", dialect: "github", by: "ada" })
          // The instance of this test keeps what it has read for five minutes.
          yield* TestClock.adjust("5 minutes")
          assert.deepStrictEqual(yield* ownersOf("a*", "ab", "c", "old", "unknown", null), [
            ["@acme/web"],
            ["no-owner"],
            ["no-file"],
            ["@acme/web"],
            ["no-file"],
            null
          ])
        })
      ),
      Effect.provide(services)
    )
  )
})
