/** Cases of the rules of a branch: rulesets, the older protection, and the merge queue. */
import { Instant } from "@lazaret/domain"
import { Effect, Option } from "effect"
import { equal } from "./Case.ts"
import { make, type Protection, type QueueCase } from "./QueueCase.ts"
import { entriesOf, type Forge, numbersOf, type Platform, queued } from "./QueueSteps.ts"

/** The check by which groups are judged. */
const needed = { name: "needed", isOurs: false }

const none: Protection = { rulesets: [], older: [], hasQueue: false }

/** The required checks of the branch, and whether each is bound to this app. */
const required = (forge: Forge, { branch, ref }: Platform) =>
  Effect.map(forge.rules(ref, branch), (rules) =>
    rules.flatMap((rule) => (rule.kind === "required_check" ? [`${rule.name} ${rule.isOurs}`] : [])).toSorted()
  )

/** The cases. */
export const cases: ReadonlyArray<QueueCase> = [
  make(
    "the checks that rulesets and the older protection require are all rules, each once",
    (forge, platform) =>
      Effect.gen(function* () {
        const [unit, lint, ours] = ["unit", "lint", "lazaret/queue"].map((name) => ({ name, isOurs: false }))
        if (unit === undefined || lint === undefined || ours === undefined) return
        yield* platform.protect({ ...none, rulesets: [unit, ours], older: [unit, lint] })
        yield* equal(
          yield* required(forge, platform),
          ["lazaret/queue false", "lint false", "unit false"],
          "the checks"
        )
        yield* platform.protect(none)
        yield* equal(yield* required(forge, platform), [], "the checks without rules")
      }),
    ["rules"]
  ),

  make(
    "a required check is bound to this app when one of its rules binds it",
    (forge, platform) =>
      Effect.gen(function* () {
        const [bound, free] = [true, false].map((isOurs) => ({ name: "lazaret/queue", isOurs }))
        if (bound === undefined || free === undefined) return
        for (const [rulesets, older] of [
          [[bound], []],
          [[], [bound]],
          [[free], [bound]],
          [[bound], [free]]
        ] as const) {
          yield* platform.protect({ ...none, rulesets, older })
          yield* equal(yield* required(forge, platform), ["lazaret/queue true"], "the check")
        }
      }),
    ["rules", "app"]
  ),

  make(
    "more rules than a page of the platform are all read",
    (forge, platform) =>
      Effect.gen(function* () {
        const names = Array.from({ length: 130 }, (_, index) => `check ${String(index).padStart(3, "0")}`)
        yield* platform.protect({ ...none, rulesets: names.map((name) => ({ name, isOurs: false })) })
        yield* equal(
          yield* required(forge, platform),
          names.map((name) => `${name} false`),
          "the checks"
        )
      }),
    ["rules"]
  ),

  make(
    "a merge queue is among the rules with its timeout, also where no ruleset turns it on",
    (forge, platform) =>
      Effect.gen(function* () {
        for (const hasQueue of [true, false]) {
          yield* platform.protect({ ...none, hasQueue })
          const queues = (yield* forge.rules(platform.ref, platform.branch)).filter(
            ({ kind }) => kind === "merge_queue"
          )
          const expected = { kind: "merge_queue", timeout: Instant.hour, grouping: "all_green", minimum: 1 } as const
          yield* equal(queues, [expected], "the queue")
        }
        const other = yield* forge.rules(platform.ref, "without-a-queue")
        yield* equal(
          other.some(({ kind }) => kind === "merge_queue"),
          false,
          "of a branch without a queue"
        )
      }),
    ["rules", "queue"]
  ),

  make(
    "the limits of a merge queue are among the rules, and a green group below its minimum waits for others",
    (forge, platform) =>
      Effect.gen(function* () {
        const { branch, ref } = platform
        for (const grouping of ["all_green", "head_green"] as const) {
          yield* platform.protect({ ...none, rulesets: [needed], hasQueue: true, limits: { grouping, minimum: 2 } })
          const rules = (yield* forge.rules(ref, branch)).filter(({ kind }) => kind === "merge_queue")
          yield* equal(rules, [{ kind: "merge_queue", timeout: Instant.hour, grouping, minimum: 2 }], "the queue")
          const [first] = yield* queued(platform, 1)
          yield* platform.merge
          yield* equal(yield* numbersOf(forge, platform), [first?.number ?? 0], "a green group alone")
          const [second] = yield* queued(platform, 1)
          const groups = (yield* entriesOf(forge, platform)).map(({ group }) => group)
          // With HEADGREEN only the last of a group counts.
          if (grouping === "head_green") yield* platform.check(groups[0]?.id ?? "", needed.name, "failure")
          yield* platform.check(groups[1]?.id ?? "", needed.name, "success")
          yield* platform.build
          yield* equal(yield* numbersOf(forge, platform), [], "two groups")
          for (const [index, pull] of [first, second].entries()) {
            const found = Option.getOrNull(yield* forge.pull(ref, pull?.number ?? 0))
            yield* equal([found?.state, found?.landed?.tree], ["merged", groups[index]?.tree], "a pull request")
          }
        }
      }),
    ["rules", "queue", "checks"]
  ),

  make("the tip of a branch says whether the branch was rewritten since another tip", (forge, platform) =>
    Effect.gen(function* () {
      const rewritten = (known: string | null) =>
        Effect.map(forge.tip(platform.ref, platform.branch, known), (tip) => Option.getOrNull(tip)?.isRewritten)
      const first = yield* platform.advance(false)
      yield* equal(Option.getOrNull(yield* forge.tip(platform.ref, platform.branch, null))?.sha, first, "the tip")
      const second = yield* platform.advance(false)
      const before = [yield* rewritten(null), yield* rewritten(first), yield* rewritten(second)]
      yield* equal(before, [false, false, false], "after a push")
      yield* platform.advance(true)
      const after = [yield* rewritten(first), yield* rewritten(second), yield* rewritten("f".repeat(40))]
      yield* equal(after, [false, true, true], "after a forced push")
      yield* equal(Option.isNone(yield* forge.tip(platform.ref, "no-such-branch", first)), true, "another branch")
    })
  )
]
