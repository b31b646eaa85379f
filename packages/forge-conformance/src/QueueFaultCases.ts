/** Cases of failures of the platform around reads and writes of a merge queue. */
import type { Fault } from "@lazaret/forge-simulated"
import { Effect, Option, Result } from "effect"
import { equal } from "./Case.ts"
import { make, type QueueCase } from "./QueueCase.ts"
import { entriesOf, numbersOf, outcome, queued, report } from "./QueueSteps.ts"

const after: ReadonlyArray<Fault.Fault> = [
  { kind: "Status", status: 502, when: "after" },
  { kind: "Reset", when: "after" }
]

/** The cases. */
export const cases: ReadonlyArray<QueueCase> = [
  make(
    "a read that the platform answers with its own failure is asked again",
    (forge, platform) =>
      Effect.gen(function* () {
        const { number } = yield* platform.openPull
        yield* forge.pull(platform.ref, number)
        yield* platform.fail({ kind: "Status", status: 503, when: "before" })
        const pull = Option.getOrNull(yield* forge.pull(platform.ref, number))
        yield* equal(pull?.number, number, "the pull request")
      }),
    ["faults"]
  ),

  make(
    "a check of the queue whose answer was lost is set again, and shown once as it was set last",
    (forge, platform) =>
      Effect.gen(function* () {
        for (const fault of after) {
          const { head } = yield* platform.openPull
          yield* forge.setCheck(platform.ref, report(head, null))
          yield* platform.fail(fault)
          yield* outcome(forge.setCheck(platform.ref, report(head, "success")))
          yield* forge.setCheck(platform.ref, report(head, "success"))
          yield* equal(yield* platform.shown(head), "success", fault.kind)
        }
      }),
    ["faults"]
  ),

  make(
    "a check of the queue that is set after a read that lags is shown as it was set last",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head } = yield* platform.openPull
        yield* forge.setCheck(platform.ref, report(head, null))
        yield* platform.fail({ kind: "Stale" })
        yield* forge.setCheck(platform.ref, report(head, "failure"))
        yield* equal(yield* platform.shown(head), "failure", "the check")
      }),
    ["faults"]
  ),

  make(
    "a pull request whose entry was answered by a closed connection is in the queue once",
    (forge, platform) =>
      Effect.gen(function* () {
        for (const fault of after) {
          const opened = yield* platform.openPull
          yield* platform.fail(fault)
          yield* outcome(forge.enqueue(platform.ref, opened))
          yield* forge.enqueue(platform.ref, opened)
          const numbers = yield* numbersOf(forge, platform)
          yield* equal(numbers.filter((number) => number === opened.number).length, 1, fault.kind)
        }
      }),
    ["queue", "faults"]
  ),

  make(
    "a group that the platform has just built is unavailable to checks, and takes them soon after",
    (forge, platform) =>
      Effect.gen(function* () {
        const { ref } = platform
        yield* platform.lag
        yield* queued(platform, 1)
        const [entry] = yield* entriesOf(forge, platform)
        const id = entry?.group?.id ?? ""
        const asked = Effect.all([
          outcome(Effect.asVoid(forge.checks(ref, id))),
          outcome(forge.setCheck(ref, report(id, null)))
        ])
        yield* equal(yield* asked, ["unavailable", "unavailable"], "at once")
        yield* platform.pass
        yield* equal(yield* asked, ["done", "done"], "later")
        yield* equal(yield* platform.shown(id), null, "the check")
      }),
    ["queue", "time"]
  ),

  make(
    "a used-up limit says when it ends, and what was asked for has no effect",
    (forge, platform) =>
      Effect.gen(function* () {
        const opened = yield* platform.openPull
        yield* forge.pull(platform.ref, opened.number)
        yield* platform.fail({ kind: "Primary", seconds: 180 })
        const refused = yield* Effect.result(forge.enqueue(platform.ref, opened))
        const error = Result.isFailure(refused) ? refused.failure : null
        yield* equal([error?.reason, (error?.retryAt ?? null) === null], ["rate_limited", false], "the limit")
        yield* equal(yield* numbersOf(forge, platform), [], "the queue")
      }),
    ["queue", "faults"]
  )
]
