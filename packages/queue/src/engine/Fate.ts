/** Fates: why a pull request left the platform's own queue, or how it was kept in it, with the evidence. */
import { Schema } from "effect"
import { PullRequestNumber } from "../PullRequestNumber.ts"
import { Text } from "@lazaret/domain"
import * as DequeueReason from "./DequeueReason.ts"
import * as FailureClass from "./FailureClass.ts"
import { Failure, Sha } from "./Observation.ts"

/**
 * Schema of why a pull request left, or was kept.
 *
 * **Details**
 *
 * - Evicted: `checks_failed`, `missing_check` and `checks_timeout` by its checks, `conflict`, `closed` and `by_hand` by a person, `other`.
 * - Healed: `rerun_passed`: a failure passed when it ran again. `no_run`: the platform started no run for its group, and it was
 *   queued again. `hold_over`: it was queued again after a pause or an incident.
 */
export const Reason = Schema.Literals([
  "checks_failed",
  "missing_check",
  "checks_timeout",
  "conflict",
  "closed",
  "by_hand",
  "other",
  "rerun_passed",
  "no_run",
  "hold_over"
])

/** Why a pull request left, or was kept. */
export type Reason = typeof Reason.Type

/**
 * Schema of a fate.
 *
 * **Details**
 *
 * - `key`: the same for the same stay, so that one fate is decided once.
 * - `group`: the commit that was tested; null where none was. `class`: what its failures are judged to be.
 * - `failures`: at most {@link mostFailures}. `attempts`: how often its checks ran. `url`: the page of the first check that failed.
 * - `by`: the person who took it out.
 * - `isSaved`: the gate kept it in the queue, or would have. `wasted`: for how long, in milliseconds, its group and those behind it had been
 *   tested when it failed or left: an eviction throws that away.
 */
export const Fate = Schema.Struct({
  key: Text.between(1, 500),
  outcome: Schema.Literals(["evicted", "healed"]),
  reason: Reason,
  number: PullRequestNumber,
  head: Sha,
  group: Schema.NullOr(Sha),
  class: Schema.NullOr(FailureClass.FailureClass),
  checks: Schema.Array(Schema.String),
  failures: Schema.Array(Failure),
  attempts: Schema.Int,
  url: Schema.NullOr(Text.Address),
  by: Schema.NullOr(Text.between(1, 255)),
  isSaved: Schema.Boolean,
  wasted: Schema.Finite
})

/** The fate of a pull request in one stay. */
export type Fate = typeof Fate.Type

/** The most failures of a fate: nobody reads more, and the log keeps them all. */
export const mostFailures = 20

const list = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

/** The names of the failed tests of a fate, each once. */
export const testsOf = ({ failures }: Pick<Fate, "failures">): ReadonlyArray<string> => [
  ...new Set(failures.flatMap(({ test }) => (test === null ? [] : [test])))
]

const failed = (fate: Fate): string => {
  const tests = testsOf(fate)
  const named = tests.length === 0 ? "" : ` (${list(tests.slice(0, 3))}${tests.length > 3 ? ", …" : ""})`
  return `${list(fate.checks) || "A required check"}${named}`
}

const ofFailure = (fate: Fate): string =>
  fate.checks.length === 0
    ? "Its checks failed."
    : DequeueReason.sentence({
        code: "checks_failed",
        checks: fate.checks,
        failures: fate.failures,
        attempts: fate.attempts,
        ...(fate.class === null ? {} : { class: fate.class })
      })

const sentences: Record<Reason, (fate: Fate) => string> = {
  checks_failed: (fate) =>
    fate.isSaved ? `${failed(fate)} failed. A gate that acts would have kept it in the queue.` : ofFailure(fate),
  missing_check: ({ checks }) => DequeueReason.sentence({ code: "missing_check", checks }),
  checks_timeout: () => "The platform gave up on its checks.",
  conflict: () => DequeueReason.sentence({ code: "conflict" }),
  closed: () => DequeueReason.sentence({ code: "closed" }),
  by_hand: ({ by }) => DequeueReason.sentence({ code: "dequeued_by", ...(by === null ? {} : { who: by }) }),
  other: () => "The platform took it out for a reason of its own.",
  rerun_passed: (fate) => `${failed(fate)} failed, and passed in attempt ${fate.attempts}: it stayed in the queue.`,
  no_run: (fate) => `The platform started no run of ${list(fate.checks)} for its group: it was queued again.`,
  hold_over: () => "The platform had taken it out in a pause or an incident: it was queued again."
}

/**
 * The sentence that explains a fate to people.
 *
 * @example
 * ```ts
 * import { Fate } from "@lazaret/queue"
 *
 * const fate = {
 *   key: "passed/g1/42", outcome: "healed", reason: "rerun_passed", number: 42, head: "h42", group: "g1", class: "flaky",
 *   checks: ["unit"], failures: [], attempts: 2, url: null, by: null, isSaved: true, wasted: 0
 * } as const
 * Fate.sentence(fate) // => "unit failed, and passed in attempt 2: it stayed in the queue."
 * Fate.title(fate) // => "#42 was kept in the merge queue."
 * ```
 */
export const sentence = (fate: Fate): string => sentences[fate.reason](fate)

/** The outcome of a fate, in one sentence. */
export const title = ({ number, outcome, reason }: Pick<Fate, "number" | "outcome" | "reason">): string => {
  if (outcome === "evicted") return `#${number} left the merge queue.`
  return reason === "rerun_passed"
    ? `#${number} was kept in the merge queue.`
    : `#${number} was put back into the merge queue.`
}

/** The classes of failures, for people. */
export const classes: Record<FailureClass.FailureClass, string> = {
  flaky: "judged flaky",
  real: "judged real",
  infrastructure: "judged a failure of the environment",
  unknown: "of unknown cause"
}

const next: Partial<Record<Reason, string>> = {
  checks_failed: "Push a fix, or queue it again when it is not the cause.",
  missing_check: "See whether the check runs for groups of the queue, and queue it again.",
  conflict: "Update it, and queue it again.",
  checks_timeout: "Queue it again.",
  other: "Queue it again."
}

/** The fate in lines of plain text: the outcome, why, each failed test with its verdict, and what to do. */
export const lines = (fate: Fate): ReadonlyArray<string> => [
  `${title(fate)} ${sentence(fate)}`,
  ...fate.failures
    .slice(0, mostFailures)
    .map(({ check, class: of, test }) => `- ${check}: ${test ?? "no report of tests"}, ${classes[of]}`),
  ...(next[fate.reason] === undefined ? [] : [next[fate.reason] ?? ""])
]

/** Whether people hear of it: nobody needs to hear what a person asked for. */
export const isNews = ({ reason }: Pick<Fate, "reason">): boolean => reason !== "by_hand" && reason !== "closed"
