/**
 * Classes of failures: what the merge queue does about a red round.
 *
 * The verdict on a failure comes from elsewhere; here it is reduced to one of four classes and a probability. Every
 * threshold stands in {@link Policy}.
 */
import { Schema } from "effect"
import { Instant } from "@lazaret/domain"

/**
 * The meaning of a failure for the queue.
 *
 * **Details**
 *
 * - `infrastructure`: the environment failed; run again without charge, nobody is at fault.
 * - `flaky`: the same code would probably pass, and the test is a known flake; run again within the budget.
 * - `real`: the change is the cause; split the batch, or evict a single pull request.
 * - `unknown`: nothing is known; split a batch, run a single pull request once more.
 */
export const FailureClass = Schema.Literals(["infrastructure", "flaky", "real", "unknown"])

/** The meaning of a failure for the queue. */
export type FailureClass = typeof FailureClass.Type

/** A class with the probability that the same code passes when it runs again; null where nobody can say. */
export interface Judgement {
  readonly class: FailureClass
  readonly probability: number | null
}

/** The fields of the verdict on one failure that the queue reads. */
export interface Verdict {
  readonly verdict: "flaky" | "broken_on_base" | "outage" | "new_failure" | "new_test" | "undecided"
  readonly probabilityFlaky: number
  readonly isKnownFlake: boolean
}

/** The numbers that decide between running again, splitting and evicting. */
export interface Policy {
  /** An undecided failure counts as flaky from this probability on: above it a rerun more often passes than not. */
  readonly flakyFrom: number
  /** A batch is run again from this probability on: a rerun costs about 0.4 rounds, a split about 2. */
  readonly rerunBatchFrom: number
  /** A single pull request is run again from this probability on: an eviction costs a round and an hour of a person. */
  readonly rerunSingleFrom: number
  /** With more failed tests than this a round is not flaky, whatever each of them is: outages look like flakes. */
  readonly mostFlakyTests: number
  /** How long a red round waits for the reports of its failed jobs, in milliseconds. */
  readonly reportWait: number
  /** How long a required check may be absent while no run of the commit works, in milliseconds. */
  readonly missingAfter: number
}

/** The policy of a repository that sets none. */
export const defaults: Policy = {
  flakyFrom: 0.5,
  rerunBatchFrom: 0.5,
  rerunSingleFrom: 0.15,
  mostFlakyTests: 5,
  reportWait: Instant.minute,
  missingAfter: 15 * Instant.minute
}

/**
 * The class of one failure.
 *
 * **Details**
 *
 * An outage is infrastructure; a new failure and a new test are real. `flaky`, and `undecided` from `flakyFrom` on, are flaky
 * where the test is a known flake. All else is unknown. A failure that the base branch has too is no more likely to pass in a
 * rerun than the base branch is to be mended. A test that never contradicted itself is called flaky because it passed on the
 * base branch just before, and that a change in the queue which breaks it does, too.
 *
 * @example
 * ```ts
 * import { FailureClass } from "@lazaret/queue"
 *
 * const of = FailureClass.ofVerdict
 * const known = { isKnownFlake: true }
 * of({ verdict: "new_test", probabilityFlaky: 0.9, ...known }, FailureClass.defaults).class // => "real"
 * of({ verdict: "undecided", probabilityFlaky: 0.5, ...known }, FailureClass.defaults).class // => "flaky"
 * of({ verdict: "undecided", probabilityFlaky: 0.4, ...known }, FailureClass.defaults).class // => "unknown"
 * of({ verdict: "flaky", probabilityFlaky: 0.9, isKnownFlake: false }, FailureClass.defaults).class // => "unknown"
 * ```
 */
export const ofVerdict = ({ isKnownFlake, probabilityFlaky, verdict }: Verdict, policy: Policy): Judgement => {
  switch (verdict) {
    case "outage":
      return { class: "infrastructure", probability: probabilityFlaky }
    case "flaky":
      return { class: isKnownFlake ? "flaky" : "unknown", probability: probabilityFlaky }
    case "new_failure":
    case "new_test":
      return { class: "real", probability: probabilityFlaky }
    case "undecided":
      return {
        class: isKnownFlake && probabilityFlaky >= policy.flakyFrom ? "flaky" : "unknown",
        probability: probabilityFlaky
      }
    case "broken_on_base":
      return { class: "unknown", probability: probabilityFlaky }
  }
}

const severity: Record<FailureClass, number> = { infrastructure: 0, flaky: 1, unknown: 2, real: 3 }

/**
 * The judgement on a round with several failures: the worst class, the lowest probability.
 *
 * **Details**
 *
 * `real` > `unknown` > `flaky` > `infrastructure`: one real failure next to ten flaky ones is real. Flaky failures in
 * more than `mostFlakyTests` tests are unknown. No failure at all is unknown.
 *
 * @example
 * ```ts
 * import { FailureClass } from "@lazaret/queue"
 *
 * const flaky = { class: "flaky", probability: 0.9 } as const
 * const real = { class: "real", probability: 0.1 } as const
 * FailureClass.combine([flaky, real], FailureClass.defaults) // => { class: "real", probability: 0.1 }
 * FailureClass.combine([], FailureClass.defaults) // => { class: "unknown", probability: null }
 * ```
 */
export const combine = (judgements: ReadonlyArray<Judgement>, policy: Policy): Judgement => {
  const [first, ...rest] = judgements
  if (first === undefined) return { class: "unknown", probability: null }
  const worst = rest.reduce((a, b) => (severity[b.class] > severity[a.class] ? b : a), first)
  const known = judgements.flatMap(({ probability }) => (probability === null ? [] : [probability]))
  const isComplete = known.length === judgements.length
  const isTooMany = worst.class === "flaky" && judgements.length > policy.mostFlakyTests
  return { class: isTooMany ? "unknown" : worst.class, probability: isComplete ? Math.min(...known) : null }
}
