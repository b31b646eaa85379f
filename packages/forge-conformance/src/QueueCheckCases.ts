/** Cases of checks: statuses, the words of a platform, reruns, and the check of the queue itself. */
import { Effect } from "effect"
import { equal } from "./Case.ts"
import { make, type QueueCase } from "./QueueCase.ts"
import { type Forge, type Platform, report } from "./QueueSteps.ts"

const statesOf = (forge: Forge, { ref }: Platform, sha: string) =>
  Effect.map(forge.checks(ref, sha), (checks) => checks.map(({ name, state }) => `${name} ${state}`).toSorted())

/** The cases. */
export const cases: ReadonlyArray<QueueCase> = [
  make("the newest status of a name counts, and the same name in another commit does not", (forge, platform) =>
    Effect.gen(function* () {
      const [first, second] = [yield* platform.openPull, yield* platform.openPull]
      for (const state of ["pending", "failure", "success"] as const) {
        yield* platform.status(first.head, "deploy", state)
        yield* equal(yield* statesOf(forge, platform, first.head), [`deploy ${state}`], "the status")
      }
      yield* platform.status(second.head, "deploy", "failure")
      yield* equal(yield* statesOf(forge, platform, first.head), ["deploy success"], "the first commit")
    })
  ),

  make("long names, and names in any script, are kept as they are", (forge, platform) =>
    Effect.gen(function* () {
      const names = ["n".repeat(200), 'été / "тест" (ubuntu, 3.12)', "試験 🎉"]
      const { head } = yield* platform.openPull
      for (const name of names) yield* platform.status(head, name, "success")
      const found = yield* statesOf(forge, platform, head)
      yield* equal(found, names.map((name) => `${name} success`).toSorted(), "the statuses")
    })
  ),

  make("more statuses than a page of the platform are all read", (forge, platform) =>
    Effect.gen(function* () {
      const { head } = yield* platform.openPull
      yield* platform.status(head, "first", "failure")
      for (let count = 0; count < 130; count += 1) yield* platform.status(head, "chatty", "pending")
      yield* equal(yield* statesOf(forge, platform, head), ["chatty pending", "first failure"], "the statuses")
    })
  ),

  make(
    "of a status and a check with one name the worse counts",
    (forge, platform) =>
      Effect.gen(function* () {
        for (const [status, check] of [
          ["success", "failure"],
          ["failure", "success"]
        ] as const) {
          const { head } = yield* platform.openPull
          yield* platform.status(head, "unit", status)
          yield* platform.check(head, "unit", check)
          yield* equal(yield* statesOf(forge, platform, head), ["unit failure"], `${status} and ${check}`)
        }
      }),
    ["checks"]
  ),

  make(
    "a check that ended without success has the word of the platform for it",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head } = yield* platform.openPull
        const words = ["cancelled", "failure", "neutral", "skipped", "timed_out"] as const
        for (const word of words) yield* platform.check(head, word, word)
        const expected = words.map((word) => `${word} ${word}`)
        yield* equal(yield* statesOf(forge, platform, head), expected, "the checks")
      }),
    ["checks"]
  ),

  make("the check of the queue on one commit says nothing about another", (forge, platform) =>
    Effect.gen(function* () {
      const [first, second] = [yield* platform.openPull, yield* platform.openPull]
      yield* forge.setCheck(platform.ref, report(first.head, "success"))
      yield* forge.setCheck(platform.ref, report(second.head, "failure"))
      const shown = [yield* platform.shown(first.head), yield* platform.shown(second.head)]
      yield* equal(shown, ["success", "failure"], "the checks")
    })
  ),

  make("a long title of the check of the queue, in any script, is accepted", (forge, platform) =>
    Effect.gen(function* () {
      const { head } = yield* platform.openPull
      yield* forge.setCheck(platform.ref, { ...report(head, "failure"), title: "Held: é🎉 ".repeat(60) })
      yield* equal(yield* platform.shown(head), "failure", "the check")
    })
  )
]
