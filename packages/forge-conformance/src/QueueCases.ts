/** Cases of the port of merge queues: reads are snapshots, writes are idempotent, a refusal differs from a limit. */
import type { ForgeError } from "@lazaret/services"
import { Effect, Option, Result } from "effect"
import { equal } from "./Case.ts"
import { make, type QueueCase } from "./QueueCase.ts"
import * as QueueAccessCases from "./QueueAccessCases.ts"
import * as QueueCheckCases from "./QueueCheckCases.ts"
import * as QueueEntryCases from "./QueueEntryCases.ts"
import * as QueueFaultCases from "./QueueFaultCases.ts"
import * as QueueRuleCases from "./QueueRuleCases.ts"
import * as QueueRunCases from "./QueueRunCases.ts"
import { entriesOf, limit, numbersOf, outcome, queued, report } from "./QueueSteps.ts"

const queueCases: ReadonlyArray<QueueCase> = [
  make(
    "a branch without a merge queue has none, and a queue without pull requests is empty",
    (forge, platform) =>
      Effect.gen(function* () {
        yield* equal(Option.isNone(yield* forge.queue(platform.ref, "without-a-queue")), true, "another branch")
        yield* equal(yield* entriesOf(forge, platform), [], "the queue")
      }),
    ["queue"]
  ),
  make(
    "the queue is in the platform's order, and each group stands on the one ahead",
    (forge, platform) =>
      Effect.gen(function* () {
        const opened = yield* queued(platform, 3)
        const entries = yield* entriesOf(forge, platform)
        yield* equal(
          entries.map(({ head, number }) => ({ number, head })),
          opened.map(({ head, number }) => ({ number, head })),
          "the members"
        )
        yield* equal(
          entries.slice(1).map(({ group }) => group?.onto),
          entries.slice(0, -1).map(({ group }) => group?.id),
          "the foundations"
        )
      }),
    ["queue"]
  ),
  make(
    "a pull request without a group is in the queue",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head, number } = yield* platform.openPull
        yield* platform.enter(number)
        yield* equal(yield* entriesOf(forge, platform), [{ number, head, group: null }], "the entry")
      }),
    ["queue", "time"]
  ),
  make(
    "a pull request enters the queue once, however often it is put there",
    (forge, platform) =>
      Effect.gen(function* () {
        const opened = yield* platform.openPull
        for (let time = 0; time < 3; time += 1) yield* forge.enqueue(platform.ref, opened)
        yield* equal(yield* numbersOf(forge, platform), [opened.number], "the queue")
      }),
    ["queue"]
  ),
  make(
    "a pull request does not enter at a head that it does not have",
    (forge, platform) =>
      Effect.gen(function* () {
        const { number } = yield* platform.openPull
        yield* equal(yield* outcome(forge.enqueue(platform.ref, { number, head: "another" })), "refused", "the outcome")
        yield* equal(yield* numbersOf(forge, platform), [], "the queue")
      }),
    ["queue"]
  ),
  make(
    "a pull request leaves the queue, and taking it out again changes nothing",
    (forge, platform) =>
      Effect.gen(function* () {
        const [first, second] = yield* queued(platform, 2)
        for (let time = 0; time < 2; time += 1) yield* forge.dequeue(platform.ref, first?.number ?? 0)
        yield* equal(yield* numbersOf(forge, platform), [second?.number ?? 0], "the queue")
      }),
    ["queue"]
  ),
  make(
    "a write that failed after its effect is repeated without a second effect",
    (forge, platform) =>
      Effect.gen(function* () {
        const opened = yield* platform.openPull
        yield* forge.pull(platform.ref, opened.number)
        yield* forge.enqueue(platform.ref, opened)
        yield* platform.fail({ kind: "Status", status: 502, when: "after" })
        yield* outcome(forge.dequeue(platform.ref, opened.number))
        yield* forge.dequeue(platform.ref, opened.number)
        yield* equal(yield* numbersOf(forge, platform), [], "the queue")
      }),
    ["queue", "faults"]
  )
]

const pullCases: ReadonlyArray<QueueCase> = [
  make("an open pull request has its head and its base, and has not landed", (forge, platform) =>
    Effect.gen(function* () {
      const { head, number } = yield* platform.openPull
      const pull = Option.getOrNull(yield* forge.pull(platform.ref, number))
      yield* equal(
        [pull?.state, pull?.head, pull?.base, pull?.landed],
        ["open", head, platform.branch, null],
        "the pull request"
      )
    })
  ),
  make("a pull request onto another branch is not among the open ones of a branch", (forge, platform) =>
    Effect.gen(function* () {
      const { number } = yield* platform.openPull
      const numbers = (branch: string) =>
        Effect.map(forge.openPulls(platform.ref, branch), (open) => open.map((pull) => pull.number))
      yield* equal(yield* numbers(platform.branch), [number], "of its base")
      yield* equal(yield* numbers("without-pull-requests"), [], "of another")
    })
  ),
  make("an open pull request without reviews is approved where no rule asks for one, and ready", (forge, platform) =>
    Effect.gen(function* () {
      const { number } = yield* platform.openPull
      const pull = Option.getOrNull(yield* forge.pull(platform.ref, number))
      yield* equal([pull?.approved, pull?.draft], [true, false], "the pull request")
    })
  ),
  make(
    "a permission is what the platform gives now, and an account that does not exist has none",
    (forge, platform) =>
      Effect.gen(function* () {
        yield* platform.permit("ada", "write")
        yield* platform.permit("bob", "read")
        const found = yield* Effect.forEach(["ada", "bob", "nobody-has-this-name"], (account) =>
          forge.permission(platform.ref, account)
        )
        yield* equal(found, ["write", "read", "none"], "the permissions")
        yield* platform.permit("ada", "read")
        yield* equal(yield* forge.permission(platform.ref, "ada"), "read", "after it was taken away")
      }),
    ["accounts"]
  ),
  make(
    "a pull request that is closed does not enter the queue",
    (forge, platform) =>
      Effect.gen(function* () {
        const opened = yield* platform.openPull
        yield* platform.close(opened.number)
        yield* equal(yield* outcome(forge.enqueue(platform.ref, opened)), "refused", "the outcome")
        yield* equal(yield* numbersOf(forge, platform), [], "the queue")
      }),
    ["queue"]
  ),
  make(
    "a number that no pull request has neither enters the queue nor leaves it, and nothing fails",
    (forge, platform) =>
      Effect.gen(function* () {
        const missing = { number: 4_000_000, head: "0".repeat(40) }
        yield* forge.enqueue(platform.ref, missing)
        yield* forge.dequeue(platform.ref, missing.number)
        yield* equal(yield* numbersOf(forge, platform), [], "the queue")
      }),
    ["queue"]
  ),
  make("a number that no pull request has is absent", (forge, platform) =>
    Effect.flatMap(forge.pull(platform.ref, 4_000_000), (pull) => equal(Option.isNone(pull), true, "the pull request"))
  ),
  make(
    "a merged pull request landed as the tree of its group, and is not open any more",
    (forge, platform) =>
      Effect.gen(function* () {
        const [first, second] = yield* queued(platform, 2)
        const group = (yield* entriesOf(forge, platform))[0]?.group
        yield* platform.merge
        const pull = Option.getOrNull(yield* forge.pull(platform.ref, first?.number ?? 0))
        yield* equal([pull?.state, pull?.landed?.tree], ["merged", group?.tree], "the merged one")
        const open = yield* forge.openPulls(platform.ref, platform.branch)
        yield* equal(
          open.map(({ number }) => number),
          [second?.number ?? 0],
          "the open ones"
        )
      }),
    ["queue"]
  ),
  make("a closed pull request is closed, and not among the open ones", (forge, platform) =>
    Effect.gen(function* () {
      const { number } = yield* platform.openPull
      yield* platform.close(number)
      const pull = Option.getOrNull(yield* forge.pull(platform.ref, number))
      yield* equal([pull?.state, pull?.landed], ["closed", null], "the pull request")
      yield* equal(yield* forge.openPulls(platform.ref, platform.branch), [], "the open ones")
    })
  )
]

/** The check `unit` as both reads have it. */
const unitIs = (state: string) => [[`unit ${state}`], [`unit ${state}`]]

const checkCases: ReadonlyArray<QueueCase> = [
  make("a commit without checks has none", (forge, platform) =>
    Effect.gen(function* () {
      const { head } = yield* platform.openPull
      yield* equal(yield* forge.checks(platform.ref, head), [], "the checks")
    })
  ),
  make(
    "the latest attempt of a check counts, also while it runs",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head } = yield* platform.openPull
        for (const conclusion of ["failure", null, "success"] as const) yield* platform.check(head, "unit", conclusion)
        const states = Effect.map(forge.checks(platform.ref, head), (checks) =>
          checks.map(({ attempt, name, state }) => `${name} ${state} ${attempt}`)
        )
        yield* equal(yield* states, ["unit success 3"], "after the third attempt")
        yield* platform.check(head, "unit", null)
        yield* equal(yield* states, ["unit pending 4"], "during the fourth")
      }),
    ["checks"]
  ),
  make(
    "the worst of two workflows with a job of one name counts, whichever ended last",
    (forge, platform) =>
      Effect.gen(function* () {
        const { branch, ref } = platform
        for (const last of [1, 2]) {
          const { head, number } = yield* platform.openPull
          const seen = Effect.gen(function* () {
            yield* platform.pass
            const checks = yield* forge.checks(ref, head)
            const open = (yield* forge.openPulls(ref, branch)).find((pull) => pull.number === number)
            return [checks, open?.checks ?? []].map((list) => list.map(({ name, state }) => `${name} ${state}`))
          })
          yield* platform.check(head, "unit", null, 3 - last)
          yield* platform.check(head, "unit", "success", last)
          yield* equal(yield* seen, unitIs("pending"), "while one runs")
          yield* platform.check(head, "unit", "failure", 3 - last)
          yield* platform.check(head, "unit", "success", last)
          yield* equal(yield* seen, unitIs("failure"), "after one failed")
          yield* platform.check(head, "unit", "success", 3 - last)
          yield* equal(yield* seen, unitIs("success"), "after it passed")
        }
      }),
    ["checks", "suites"]
  ),
  make(
    "a job that failed in two workflows is pending from the first rerun to the last",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head } = yield* platform.openPull
        const state = Effect.map(forge.checks(platform.ref, head), ([check]) => `${check?.state} ${check?.attempt}`)
        for (const workflow of [1, 2]) yield* platform.check(head, "unit", "failure", workflow)
        yield* equal(yield* state, "failure 2", "after both failed")
        yield* platform.check(head, "unit", null, 1)
        yield* equal(yield* state, "pending 3", "while the first runs again")
        yield* platform.check(head, "unit", null, 2)
        yield* platform.check(head, "unit", "success", 1)
        yield* equal(yield* state, "pending 5", "while the second runs again")
        yield* platform.check(head, "unit", "success", 2)
        yield* equal(yield* state, "success 6", "after both passed")
      }),
    ["checks", "suites"]
  ),
  make(
    "a check has the address of its page",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head } = yield* platform.openPull
        yield* platform.check(head, "unit", "failure")
        const [check] = yield* forge.checks(platform.ref, head)
        yield* equal(/^https:\/\/\S+$/u.test(check?.url ?? ""), true, "the address")
      }),
    ["checks"]
  ),
  make(
    "more checks than a page of the platform are all read",
    (forge, platform) =>
      Effect.gen(function* () {
        const { head, number } = yield* platform.openPull
        const names = Array.from({ length: 130 }, (_, index) => `job ${String(index).padStart(3, "0")}`)
        for (const name of names) yield* platform.check(head, name, "success")
        const found = (yield* forge.checks(platform.ref, head)).map(({ name }) => name)
        yield* equal(found.toSorted(), names, "the checks")
        const open = (yield* forge.openPulls(platform.ref, platform.branch)).find((pull) => pull.number === number)
        yield* equal(open?.checks.map(({ name }) => name).toSorted(), names, "the checks of the head")
      }),
    ["checks"]
  ),
  make("the check of the queue is shown as it was set last, and is not one of the checks", (forge, platform) =>
    Effect.gen(function* () {
      const { head } = yield* platform.openPull
      yield* equal(yield* platform.shown(head), undefined, "before")
      for (const conclusion of [null, "failure", null, "success", "success"] as const) {
        yield* forge.setCheck(platform.ref, report(head, conclusion))
        yield* equal(yield* platform.shown(head), conclusion, "the check")
      }
      yield* equal(yield* forge.checks(platform.ref, head), [], "the checks")
    })
  )
]

const failureCases: ReadonlyArray<QueueCase> = [
  make(
    "a limit says when to ask again, for each read and write",
    (forge, platform) =>
      Effect.gen(function* () {
        const { ref } = platform
        const opened = yield* platform.openPull
        const asked: ReadonlyArray<Effect.Effect<unknown, ForgeError>> = [
          forge.queue(ref, platform.branch),
          forge.pull(ref, opened.number),
          forge.openPulls(ref, platform.branch),
          forge.checks(ref, opened.head),
          forge.rules(ref, platform.branch),
          forge.setCheck(ref, report(opened.head, null)),
          forge.enqueue(ref, opened),
          forge.cancel(ref, opened.head)
        ]
        yield* outcome(forge.queue(ref, platform.branch))
        for (const [index, effect] of asked.entries()) {
          yield* platform.fail(limit)
          const result = yield* Effect.result(effect)
          const error = Result.isFailure(result) ? result.failure : null
          yield* equal([error?.reason, error?.retryAt !== null], ["rate_limited", true], `request ${index}`)
        }
      }),
    ["faults", "queue"]
  )
]

/** The cases of merge queues. */
export const cases: ReadonlyArray<QueueCase> = [
  ...queueCases,
  ...pullCases,
  ...checkCases,
  ...failureCases,
  ...QueueEntryCases.cases,
  ...QueueRuleCases.cases,
  ...QueueCheckCases.cases,
  ...QueueRunCases.cases,
  ...QueueFaultCases.cases,
  ...QueueAccessCases.cases
]
