/** Cases of the use case over the adapter: whatever fails, the platform shows the last verdicts, once. */
import { FailureSummary, Redaction, Repository } from "@lazaret/domain"
import { newFailure } from "@lazaret/domain/testing"
import type { Fault } from "@lazaret/forge-simulated"
import { CommitVerdicts, FailureReport, Forge, Publications } from "@lazaret/services"
import { MemoryStores, RepositoryStore } from "@lazaret/store"
import { Effect, Layer, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import { type Case, equal, Platform, type Point, points } from "./Case.ts"

const failing = (commit: string, names: ReadonlyArray<string>): FailureReport.CommitFailures => {
  const failures = names.map((name) => newFailure(name))
  return { commit, failures, total: failures.length, summary: FailureSummary.of(failures, true) }
}

/** A service that publishes on the platform, with what is known of each commit. */
const start = Effect.gen(function* () {
  const platform = yield* Platform
  const forge = yield* Forge
  const known = new Map<string, ReadonlyArray<string>>()
  const layer = Publications.layer({ publicUrl: null, redact: Redaction.redact }).pipe(
    Layer.provideMerge(MemoryStores.layer),
    Layer.provide([
      Layer.succeed(Forge, forge),
      Layer.succeed(CommitVerdicts, {
        ofCommit: (_, commit) =>
          Effect.sync(() => Option.map(Option.fromUndefinedOr(known.get(commit)), (names) => failing(commit, names)))
      })
    ])
  )
  const context = yield* Layer.build(Layer.fresh(layer))
  yield* Effect.provide(
    RepositoryStore.use((store) => store.set(platform.ref, Repository.defaultSettings, 0)),
    context
  )
  const publications = yield* Effect.provide(Publications, context)
  /** Publishes some times: an hour is longer than every limit and every pause after a failure. */
  const settle = Effect.fnUntraced(function* (rounds: number) {
    for (let round = 0; round < rounds; round += 1) {
      yield* TestClock.adjust("1 hour")
      yield* publications.round
    }
  })
  return {
    platform,
    known,
    request: (commit: string) => publications.request(platform.ref, commit),
    round: Effect.andThen(TestClock.adjust("1 minute"), publications.round),
    settle
  }
}).pipe(Effect.provide(Logger.layer([])))

/** The life of a pull request: the tests that fail after each upload. */
const life = [["adds"], ["adds", "divides"], []]

interface Adversity {
  readonly fault: Fault.Fault
  readonly points: ReadonlyArray<Point>
}

const writing: ReadonlyArray<Point> = ["writeReport", "createNote", "editNote", "removeNote"]

const reading: ReadonlyArray<Point> = ["readReport", "readPulls", "readNotes"]

/** The failures: every request once, one after the other; each write after its effect; each read on a replica that is behind. */
const adversities: ReadonlyArray<Adversity> = [
  { fault: { kind: "Status", status: 503, when: "before" }, points },
  { fault: { kind: "Secondary", retryAfter: 900 }, points },
  ...writing.map((point): Adversity => ({ fault: { kind: "Status", status: 502, when: "after" }, points: [point] })),
  { fault: { kind: "Reset", when: "after" }, points: writing },
  ...reading.map((point): Adversity => ({ fault: { kind: "Stale" }, points: [point] }))
]

const make = (name: string, needs: Case["needs"], run: Case["run"]): Case => ({ name, needs, run })

/** The cases. They run under a test clock. */
export const cases: ReadonlyArray<Case> = [
  make(
    "whatever fails once, before or after its effect, the platform shows the last verdicts and one note",
    ["faults"],
    Effect.scoped(
      Effect.gen(function* () {
        const { known, platform, request, settle } = yield* start
        for (const { fault, points: places } of adversities) {
          const commit = yield* platform.commit
          const pull = yield* platform.openPull(commit)
          const what = `${fault.kind} at ${places.join(", ")}`
          for (const names of life) {
            known.set(commit, names)
            for (const point of places) yield* platform.fail(point, fault)
            yield* request(commit)
            yield* settle(places.length + 1)
            yield* platform.heal
            // A replica with a lag may have hidden our note; the next publication repairs it.
            if (fault.kind === "Stale") yield* Effect.andThen(request(commit), settle(1))
            const shown = yield* platform.shown(commit)
            yield* equal(shown?.conclusion, names.length === 0 ? "success" : "failure", `${what}: the report`)
            const notes = yield* platform.notes(pull)
            yield* equal(notes.length, names.length === 0 ? 0 : 1, `${what}: notes`)
            yield* equal(
              names.filter((name) => !(notes[0] ?? "").includes(name)),
              [],
              `${what}: tests that the note does not name`
            )
          }
        }
      })
    )
  ),

  make(
    "requests that are doubled, late or in another order leave one note, about the head",
    [],
    Effect.scoped(
      Effect.gen(function* () {
        const { known, platform, request, round, settle } = yield* start
        const orders = [
          ["old", "new"],
          ["new", "old"],
          ["old", "old", "new", "new", "old"],
          ["new", "pause", "old"],
          ["old", "pause", "new", "pause", "old", "old"]
        ]
        for (const order of orders) {
          const commits = { old: yield* platform.commit, new: yield* platform.commit }
          const pull = yield* platform.openPull(commits.old)
          known.set(commits.old, ["adds"]).set(commits.new, ["divides"])
          yield* request(commits.old)
          yield* settle(2)
          yield* platform.push(pull, commits.new)
          for (const each of order) yield* each === "pause" ? round : request(commits[each === "old" ? "old" : "new"])
          yield* settle(2)
          const notes = yield* platform.notes(pull)
          yield* equal(notes.length, 1, `${order.join(" ")}: notes`)
          yield* equal((notes[0] ?? "").includes("divides"), true, `${order.join(" ")}: the note is about the head`)
          yield* equal((yield* platform.shown(commits.old))?.conclusion, "failure", "the report on the earlier head")
        }
      })
    )
  )
]
