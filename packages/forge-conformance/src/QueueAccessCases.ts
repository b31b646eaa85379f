/**
 * Cases of the access of an adapter: permissions that an owner takes away, a repository that is read-only or has another owner, an app
 * that is suspended, and limits.
 *
 * Each refusal ends when the owner changes the setting back, and the write is sent again then.
 */
import type { ForgeError } from "@lazaret/services"
import { Effect, Result } from "effect"
import { equal } from "./Case.ts"
import { make, type QueueCase } from "./QueueCase.ts"
import { type Forge, numbersOf, outcome, type Platform, report } from "./QueueSteps.ts"

/** A write, and whether it had its effect. */
interface Write {
  readonly permission: string
  readonly write: Effect.Effect<unknown, ForgeError>
  readonly hasEffect: Effect.Effect<boolean, ForgeError>
}

const failedRun = Effect.fnUntraced(function* (platform: Platform, head: string) {
  yield* platform.workflow(head, [{ name: "unit" }])
  yield* platform.finish(head, "unit", "failure")
})

/** The writes of a gate, each about a pull request of its own. */
const writes = Effect.fnUntraced(function* (forge: Forge, platform: Platform) {
  const { ref } = platform
  const opened = [platform.openPull, platform.openPull, platform.openPull, platform.openPull] as const
  const [checked, repeated, entering, leaving] = yield* Effect.all(opened)
  yield* platform.enter(leaving.number)
  yield* failedRun(platform, repeated.head)
  return [
    {
      permission: "checks",
      write: forge.setCheck(ref, report(checked.head, "success")),
      hasEffect: Effect.map(platform.shown(checked.head), (shown) => shown === "success")
    },
    {
      permission: "actions",
      write: forge.rerun(ref, { sha: repeated.head, checks: ["unit"], attempt: 1 }),
      hasEffect: Effect.map(platform.attempts(repeated.head), (attempts) => attempts === 2)
    },
    {
      permission: "contents",
      write: forge.enqueue(ref, entering),
      hasEffect: Effect.map(numbersOf(forge, platform), (numbers) => numbers.includes(entering.number))
    },
    {
      permission: "contents",
      write: forge.dequeue(ref, leaving.number),
      hasEffect: Effect.map(numbersOf(forge, platform), (numbers) => !numbers.includes(leaving.number))
    }
  ] satisfies ReadonlyArray<Write>
})

/** The write is refused without an effect, and has its effect when it is allowed again. */
const refusedUntil = Effect.fnUntraced(function* (
  { hasEffect, permission, write }: Write,
  reason: ForgeError["reason"],
  allowed: Effect.Effect<void>
) {
  yield* equal(yield* outcome(write), reason, `the write that needs ${permission}`)
  yield* allowed
  yield* equal(yield* hasEffect, false, `the effect of the refused write that needs ${permission}`)
  yield* equal(yield* outcome(write), "done", `the write that needs ${permission}, when it is allowed`)
  yield* equal(yield* hasEffect, true, `the effect of the write that needs ${permission}`)
})

/** An adapter asks at most this long after a change where it is installed. */
const halfAnHour = ({ pass }: Platform) => Effect.repeat(pass, { times: 6 })

const needs = ["app", "owner", "queue", "runs", "checks"] as const

/** The cases. */
export const cases: ReadonlyArray<QueueCase> = [
  make(
    "a write for which the app lost its permission is refused, and has its effect when it is granted again",
    (forge, platform) =>
      Effect.gen(function* () {
        for (const each of yield* writes(forge, platform)) {
          yield* platform.grant({ [each.permission]: "read" })
          yield* refusedUntil(each, "refused", platform.grant({ [each.permission]: "write" }))
        }
      }),
    needs
  ),

  make(
    "an archived repository refuses each write and shows what it has, and takes the writes when it is unarchived",
    (forge, platform) =>
      Effect.gen(function* () {
        const { number } = yield* platform.openPull
        for (const each of yield* writes(forge, platform)) {
          yield* platform.archive(true)
          yield* equal(yield* outcome(forge.pull(platform.ref, number)), "done", "a read")
          yield* refusedUntil(each, "refused", platform.archive(false))
        }
      }),
    needs
  ),

  make(
    "a suspended app is not installed, and reads and writes again when it is back",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head, number } = yield* platform.openPull
        yield* platform.suspend(true)
        yield* equal(yield* outcome(forge.setCheck(platform.ref, report(head, "success"))), "not_installed", "a write")
        yield* equal(yield* outcome(forge.pull(platform.ref, number)), "not_installed", "a read")
        yield* platform.suspend(false)
        yield* equal(yield* outcome(forge.setCheck(platform.ref, report(head, "success"))), "done", "the write again")
        yield* equal(yield* platform.shown(head), "success", "the check")
      }),
    ["app", "owner"]
  ),

  // The app "lost permissions to operate on the repository" (mindersec/minder#4130): "apps are installed into accounts, not repos"
  // (aio-libs/propcache#17).
  make(
    "after a transfer to an account without the app nothing is written, until that account installs it",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head } = yield* platform.openPull
        const passed = forge.setCheck(platform.ref, report(head, "success"))
        yield* forge.setCheck(platform.ref, report(head, null))
        yield* platform.transfer
        yield* equal(yield* outcome(passed), "refused", "at once")
        yield* halfAnHour(platform)
        yield* equal(yield* outcome(passed), "not_installed", "later")
        yield* equal(yield* platform.shown(head), null, "the check")
        yield* platform.install
        yield* halfAnHour(platform)
        yield* equal(yield* outcome(passed), "done", "with the app")
        yield* equal(yield* platform.shown(head), "success", "the check with the app")
      }),
    ["app", "transfer"]
  ),

  make(
    "a write beyond a limit says when to ask again, and has no effect before",
    (forge, platform) =>
      Effect.gen(function* () {
        const all = yield* writes(forge, platform)
        // The adapter finds out first where it is installed: the limit is to meet the write.
        yield* numbersOf(forge, platform)
        for (const { hasEffect, permission, write } of all) {
          yield* platform.fail({ kind: "Secondary", retryAfter: 90 })
          const refused = yield* Effect.result(write)
          const error = Result.isFailure(refused) ? refused.failure : null
          const said = [error?.reason, error !== null && error.retryAt !== null]
          yield* equal(said, ["rate_limited", true], `the write that needs ${permission}`)
          yield* equal(yield* hasEffect, false, `the effect of the write that needs ${permission}`)
        }
      }),
    ["faults", "queue", "runs", "checks"]
  )
]
