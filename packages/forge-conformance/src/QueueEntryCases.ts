/** Cases of pull requests that people change while they are in the queue, or enter it. */
import { Effect, Option } from "effect"
import { equal } from "./Case.ts"
import { make, type QueueCase } from "./QueueCase.ts"
import { entriesOf, type Forge, numbersOf, outcome, type Platform, queued, report } from "./QueueSteps.ts"

const pullOf = (forge: Forge, { ref }: Platform, number: number) =>
  Effect.map(forge.pull(ref, number), Option.getOrNull)

const groupsOf = (forge: Forge, platform: Platform) =>
  Effect.map(entriesOf(forge, platform), (entries) => entries.map(({ group }) => group))

/** The cases. */
export const cases: ReadonlyArray<QueueCase> = [
  make(
    "a queue longer than a page of the platform is read whole, in its order",
    (forge, platform) =>
      Effect.gen(function* () {
        const opened = yield* queued(platform, 203)
        const numbers = yield* numbersOf(forge, platform)
        yield* equal(
          numbers,
          opened.map(({ number }) => number),
          "the queue"
        )
      }),
    ["queue", "bulk"]
  ),

  make(
    "a group keeps its commit, tree and base while nothing changes",
    (forge, platform) =>
      Effect.gen(function* () {
        yield* queued(platform, 3)
        const before = yield* groupsOf(forge, platform)
        yield* platform.build
        yield* equal(yield* groupsOf(forge, platform), before, "the groups")
      }),
    ["queue"]
  ),

  make(
    "when a person takes a pull request out, those behind it get other groups",
    (forge, platform) =>
      Effect.gen(function* () {
        const [first, second, third] = yield* queued(platform, 3)
        const before = yield* groupsOf(forge, platform)
        yield* platform.leave(second?.number ?? 0)
        yield* platform.build
        const after = yield* groupsOf(forge, platform)
        yield* equal(yield* numbersOf(forge, platform), [first?.number ?? 0, third?.number ?? 0], "the queue")
        yield* equal(after[0], before[0] ?? null, "the group ahead")
        yield* equal([after[1]?.id === before[2]?.id, after[1]?.onto], [false, before[0]?.id], "the group behind")
      }),
    ["queue"]
  ),

  make(
    "what the platform does not build yet is in the queue without a group",
    (forge, platform) =>
      Effect.gen(function* () {
        yield* queued(platform, 7)
        const groups = yield* groupsOf(forge, platform)
        yield* equal(
          groups.map((group) => group !== null),
          [true, true, true, true, true, false, false],
          "the groups"
        )
      }),
    ["queue"]
  ),

  make(
    "the platform says why a pull request left the queue, and when",
    (forge, platform) =>
      Effect.gen(function* () {
        const opened = yield* queued(platform, 4)
        const numbers = opened.map(({ number }) => number)
        const [first = 0, second = 0, third = 0, fourth = 0] = numbers
        const groups = yield* groupsOf(forge, platform)
        yield* equal((yield* pullOf(forge, platform, first))?.removal, null, "before it left")
        yield* platform.merge
        yield* platform.check(groups[1]?.id ?? "", "needed", "failure")
        yield* platform.build
        yield* platform.leave(third)
        yield* platform.build
        yield* platform.age(1)
        yield* platform.build
        const removals = yield* Effect.forEach([first, second, third, fourth], (number) =>
          Effect.map(pullOf(forge, platform, number), (pull) => pull?.removal)
        )
        yield* equal(
          removals.map((removal) => removal?.reason),
          ["merged", "ci_failure", "manual", "ci_timeout"],
          "the reasons"
        )
        const times = removals.map((removal) => removal?.at ?? Number.NaN)
        yield* equal(
          times,
          times.toSorted((a, b) => a - b),
          "the times"
        )
      }),
    ["queue", "checks", "time"]
  ),

  make(
    "a pull request that leaves and enters again is the last",
    (forge, platform) =>
      Effect.gen(function* () {
        const [first, second] = yield* queued(platform, 2)
        yield* forge.dequeue(platform.ref, first?.number ?? 0)
        yield* forge.enqueue(platform.ref, first ?? { number: 0, head: "" })
        yield* equal(yield* numbersOf(forge, platform), [second?.number ?? 0, first?.number ?? 0], "the queue")
      }),
    ["queue"]
  ),

  make(
    "a push takes a pull request out of the queue, and only its new head enters again",
    (forge, platform) =>
      Effect.gen(function* () {
        const [opened] = yield* queued(platform, 1)
        const number = opened?.number ?? 0
        const head = yield* platform.push(number)
        yield* equal(yield* numbersOf(forge, platform), [], "the queue after the push")
        const old = { number, head: opened?.head ?? "" }
        yield* equal(yield* outcome(forge.enqueue(platform.ref, old)), "refused", "the head before the push")
        yield* forge.enqueue(platform.ref, { number, head })
        const entries = yield* entriesOf(forge, platform)
        yield* equal(
          entries.map((entry) => entry.head),
          [head],
          "the heads in the queue"
        )
      }),
    ["queue"]
  ),

  make("the head of a pull request is that of the last push", (forge, platform) =>
    Effect.gen(function* () {
      const { number } = yield* platform.openPull
      const head = yield* platform.push(number)
      yield* equal((yield* pullOf(forge, platform, number))?.head, head, "the head")
      const [open] = yield* forge.openPulls(platform.ref, platform.branch)
      yield* equal(open?.head, head, "the head among the open ones")
    })
  ),

  make("a pull request that was closed and opened again is open, and has not landed", (forge, platform) =>
    Effect.gen(function* () {
      const { number } = yield* platform.openPull
      yield* platform.close(number)
      yield* platform.reopen(number)
      const pull = yield* pullOf(forge, platform, number)
      yield* equal([pull?.state, pull?.landed], ["open", null], "the pull request")
      const open = yield* forge.openPulls(platform.ref, platform.branch)
      yield* equal(
        open.map((each) => each.number),
        [number],
        "the open ones"
      )
    })
  ),

  make(
    "a pull request that was closed and opened again enters the queue",
    (forge, platform) =>
      Effect.gen(function* () {
        const opened = yield* platform.openPull
        yield* platform.close(opened.number)
        yield* platform.reopen(opened.number)
        yield* forge.enqueue(platform.ref, opened)
        yield* equal(yield* numbersOf(forge, platform), [opened.number], "the queue")
      }),
    ["queue"]
  ),

  make("a draft is one, by itself and among the open pull requests", (forge, platform) =>
    Effect.gen(function* () {
      const [draft, other] = [yield* platform.openDraft, yield* platform.openPull]
      const drafts = [yield* pullOf(forge, platform, draft.number), yield* pullOf(forge, platform, other.number)]
      yield* equal(
        drafts.map((pull) => pull?.draft),
        [true, false],
        "the drafts"
      )
      const open = yield* forge.openPulls(platform.ref, platform.branch)
      yield* equal(open.filter((pull) => pull.draft).length, 1, "the drafts among the open ones")
    })
  ),

  make(
    "a draft does not enter the queue",
    (forge, platform) =>
      Effect.gen(function* () {
        const opened = yield* platform.openDraft
        yield* equal(yield* outcome(forge.enqueue(platform.ref, opened)), "refused", "the outcome")
        yield* equal(yield* numbersOf(forge, platform), [], "the queue")
      }),
    ["queue"]
  ),

  make(
    "a merged pull request does not enter the queue again, and to take it out changes nothing",
    (forge, platform) =>
      Effect.gen(function* () {
        const [opened] = yield* queued(platform, 1)
        yield* platform.merge
        const member = opened ?? { number: 0, head: "" }
        yield* equal(yield* outcome(forge.enqueue(platform.ref, member)), "refused", "to enter")
        yield* equal(yield* outcome(forge.dequeue(platform.ref, member.number)), "done", "to leave")
        yield* equal((yield* pullOf(forge, platform, member.number))?.state, "merged", "the pull request")
      }),
    ["queue"]
  ),

  make(
    "when the head of the queue has merged, the group behind stands on what was tested, and keeps its commit",
    (forge, platform) =>
      Effect.gen(function* () {
        yield* queued(platform, 2)
        const [first, second] = yield* groupsOf(forge, platform)
        yield* platform.merge
        const [left] = yield* groupsOf(forge, platform)
        yield* equal([left?.id, left?.onto], [second?.id, first?.id], "the group")
      }),
    ["queue"]
  ),

  make("a branch that does not exist has no queue and no pull requests, whatever its name", (forge, platform) =>
    Effect.gen(function* () {
      for (const branch of ["gone", "release/1.x", "a #strange? na%me"]) {
        yield* equal(yield* forge.openPulls(platform.ref, branch), [], `the pull requests onto ${branch}`)
        yield* equal(Option.isNone(yield* forge.queue(platform.ref, branch)), true, `the queue of ${branch}`)
      }
    })
  ),

  make("a repository is found by its names in any case", (forge, platform) =>
    Effect.gen(function* () {
      const { number } = yield* platform.openPull
      const { owner, repository } = platform.ref
      const ref = { owner: owner.toUpperCase(), repository: repository.toUpperCase() }
      const pull = Option.getOrNull(yield* forge.pull(ref, number))
      yield* equal(pull?.number, number, "the pull request")
    })
  ),

  make(
    "a repository that was renamed is found by its earlier name",
    (forge, platform) =>
      Effect.gen(function* () {
        const [opened] = yield* queued(platform, 1)
        yield* platform.rename
        yield* equal(yield* numbersOf(forge, platform), [opened?.number ?? 0], "the queue")
        yield* forge.dequeue(platform.ref, opened?.number ?? 0)
        yield* equal(yield* numbersOf(forge, platform), [], "the queue after a write")
      }),
    ["queue", "rename"]
  ),

  // GitHub answers the earlier place with a redirect, also after a transfer (developer.github.com, changes of 2015-04-17).
  make(
    "a repository that was transferred to another account with the app is found by its earlier name",
    (forge, platform) =>
      Effect.gen(function* () {
        const [opened] = yield* queued(platform, 1)
        const { head, number } = opened ?? { head: "", number: 0 }
        yield* platform.install
        yield* platform.transfer
        yield* equal(yield* numbersOf(forge, platform), [number], "the queue")
        yield* forge.setCheck(platform.ref, report(head, "success"))
        yield* forge.dequeue(platform.ref, number)
        yield* equal([yield* platform.shown(head), yield* numbersOf(forge, platform)], ["success", []], "after writes")
      }),
    ["queue", "app", "transfer"]
  )
]
