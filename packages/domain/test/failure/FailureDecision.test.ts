import { FailureFacts, FailurePolicy, JobRecord } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import type { Explanation } from "../../src/failure/CauseModel.ts"
import * as FailureDecision from "../../src/failure/FailureDecision.ts"
import { at, elsewhere, failure, flake, network, onMain, outage, rerun, row, siblings } from "./support/ModelStory.ts"

/** The numbers of the model, such that a flake needs no more than any other cause. */
const usual: Explanation = {
  causes: { flake: 0, change: 0, base: 0, environment: 0, dependency: 0 },
  pieces: [],
  flakeRate: 0.1,
  flakes: 0.5,
  executions: 30,
  baseBroken: 0,
  commits: 30,
  flakyTests: 0,
  messageShare: 1,
  isOneFile: false
}

const policy: FailurePolicy.FailurePolicy = {
  ...FailurePolicy.defaults,
  decidedFrom: 0.625,
  eitherFrom: 0.875,
  outageAgainst: 0.75,
  ownOutageAgainst: 0.9375,
  firstFlakeAgainst: 0.8125,
  changeAgainst: 0.6875,
  mayBeOutside: 0.0625
}

type Known = Partial<Omit<FailureFacts.FailureFacts, "failure">>
type Execution = Partial<FailureFacts.FailedExecution>

const passing: Known = { rows: [row("+++")], seen: 3 }

const factsOf = (known: Known = {}, execution: Execution = {}) =>
  FailureFacts.of({ ...failure, ...execution }, { ...passing, ...known })

const decide = (
  causes: Partial<FailurePolicy.PerCause>,
  known: Known = {},
  { execution = {}, ...explained }: Partial<Explanation> & { readonly execution?: Execution } = {}
) =>
  FailureDecision.decide(
    factsOf(known, execution),
    { ...usual, ...explained, causes: { ...usual.causes, ...causes } },
    policy
  )

const verdictOf = (...given: Parameters<typeof decide>) => decide(...given).verdict

const judgement = (isOutage: boolean, isExcused = false): Known => ({
  run: { ...JobRecord.unknownRun, judgement: { isOutage, isExcused, hit: 3, passedBefore: 9 } }
})

const withOutages = (known: Known, ...outages: ReadonlyArray<JobRecord.PastOutage>): Known => ({
  ...known,
  run: { ...(known.run ?? JobRecord.unknownRun), outages }
})

describe("FailureDecision.decide, from which probability", () => {
  it("a cause is named from the policy's probability on, that included", () => {
    const from = (cause: FailurePolicy.Cause) => [0.624, 0.625].map((share) => decide({ [cause]: share }))
    const undecided = { verdict: "undecided", cause: null }
    assert.deepStrictEqual(from("flake"), [undecided, { verdict: "flaky", cause: "flake" }])
    assert.deepStrictEqual(from("change"), [undecided, { verdict: "new_failure", cause: "change" }])
    assert.deepStrictEqual(from("base"), [undecided, { verdict: "broken_on_base", cause: "base" }])
    assert.deepStrictEqual(from("environment"), [undecided, { verdict: "outage", cause: "environment" }])
    assert.deepStrictEqual(from("dependency"), [undecided, { verdict: "outage", cause: "dependency" }])
  })

  it("the environment and a dependency are an outage together, named by the more probable one", () => {
    assert.deepStrictEqual(decide({ environment: 0.375, dependency: 0.25 }).cause, "environment")
    assert.deepStrictEqual(decide({ environment: 0.25, dependency: 0.375 }).cause, "dependency")
    assert.deepStrictEqual(decide({ environment: 0.3125, dependency: 0.3125 }).cause, "environment")
  })

  it("a broken base and an outage that are only together probable are named by the more probable one, at a tie by the base", () => {
    assert.strictEqual(verdictOf({ environment: 0.5, base: 0.375 }), "outage")
    assert.strictEqual(verdictOf({ environment: 0.375, base: 0.5 }), "broken_on_base")
    assert.strictEqual(verdictOf({ environment: 0.4375, base: 0.4375 }), "broken_on_base")
    assert.strictEqual(verdictOf({ environment: 0.4375, base: 0.4374 }), "undecided")
  })

  it("an outage that is probable but against what health says is not named because the base is possible", () => {
    assert.strictEqual(verdictOf({ environment: 0.624, base: 0.3125 }, judgement(false)), "outage")
    assert.strictEqual(verdictOf({ environment: 0.625, base: 0.3125 }, judgement(false)), "undecided")
    assert.strictEqual(verdictOf({ environment: 0.6875, base: 0.3125 }, judgement(false)), "undecided")
  })

  it("a change needs more where something outside may have failed", () => {
    assert.strictEqual(verdictOf({ change: 0.625, environment: 0.0625 }), "new_failure")
    assert.strictEqual(verdictOf({ change: 0.625, environment: 0.07 }), "undecided")
    assert.strictEqual(verdictOf({ change: 0.6875, environment: 0.07 }), "new_failure")
  })

  it("a test without an outcome on the base is new, and the change is named where it is probable", () => {
    assert.deepStrictEqual(decide({ change: 0.625 }, { rows: [] }), { verdict: "new_test", cause: "change" })
    assert.deepStrictEqual(decide({ change: 0.5 }, { rows: [] }), { verdict: "new_test", cause: null })
  })
})

describe("FailureDecision.decide, after a pass of the same code", () => {
  const reruns = [rerun("passed")]
  const others = { job: { passed: 9, failed: 2, silent: 0 } }

  it("a pass of the same code is a flake where a flake is more probable than something outside", () => {
    assert.strictEqual(verdictOf({ flake: 0.5, environment: 0.4 }, { reruns, ...others }), "flaky")
    assert.strictEqual(verdictOf({ flake: 0.4, environment: 0.4 }, { reruns, ...others }), "outage")
    assert.strictEqual(verdictOf({ flake: 0.4, environment: 0.3, dependency: 0.2 }, { reruns, ...others }), "outage")
  })

  it("the only failure of its job is a flake of it, unless health excuses the run", () => {
    assert.strictEqual(verdictOf({ environment: 0.9 }, { reruns }), "flaky")
    assert.strictEqual(verdictOf({ environment: 0.9 }, { reruns, ...judgement(true) }), "flaky")
    assert.strictEqual(verdictOf({ environment: 0.9 }, { reruns, ...judgement(true, true) }), "outage")
  })

  it("an own error that passes again in an outage is part of it", () => {
    const own = { execution: { message: "expected 1 to equal 2" } }
    assert.strictEqual(verdictOf({ environment: 0.9 }, { reruns, ...others, seen: 0 }, own), "outage")
    assert.strictEqual(verdictOf({ environment: 0.9 }, { ...others, seen: 0 }, own), "undecided")
  })
})

describe("FailureDecision.decide, the first flake of a test", () => {
  const first = { flakes: 0.4 }
  const unseen: Known = { seen: 0 }
  const isNamed = (share: number, known: Known, explained: Partial<Explanation> = first) =>
    verdictOf({ flake: share }, known, { ...explained, execution: { message: "timed out" } }) === "flaky"

  it("the first flake of a test needs more where nothing shows that tests flake here", () => {
    assert.deepStrictEqual([isNamed(0.812, unseen), isNamed(0.8125, unseen)], [false, true])
    const shown: ReadonlyArray<readonly [Known, Partial<Explanation>]> = [
      [unseen, { flakes: 0.5 }],
      [unseen, { flakes: 0.4, flakyTests: 1 }],
      [{ seen: 1 }, first],
      [{ ...unseen, job: { passed: 9, failed: 1, silent: 0 } }, first],
      [{ ...unseen, quarantine: { id: "q", reason: "flaky", signatures: [] } }, first],
      [{ ...unseen, test: { flakes: [flake("a", 3)], signatures: [], others: [] } }, first]
    ]
    for (const [known, explained] of shown) assert.isTrue(isNamed(0.625, known, explained))
  })

  it("without a commit of the default branch nothing shows it, and a message of which nothing is known does not", () => {
    const busy = { seen: 5, job: { passed: 9, failed: 5, silent: 0 } }
    assert.deepStrictEqual(
      [0, 1].map((commits) => isNamed(0.625, busy, { flakes: 0, flakyTests: 5, commits })),
      [false, true]
    )
    assert.isFalse(isNamed(0.625, { seen: null }))
  })
})

describe("FailureDecision.decide, an outage that health does not see", () => {
  const isNamed = (share: number, known: Known, execution: Execution = {}) =>
    verdictOf({ environment: share }, known, { execution }) === "outage"

  it("an outage that health does not see needs more, and still more with a message of the code", () => {
    const against = judgement(false)
    assert.deepStrictEqual([isNamed(0.74, against), isNamed(0.75, against)], [false, true])
    const own = { message: "expected 1 to equal 2" }
    assert.deepStrictEqual([isNamed(0.93, against, own), isNamed(0.9375, against, own)], [false, true])
    assert.isTrue(isNamed(0.625, judgement(true), own))
    assert.isTrue(isNamed(0.625, {}, own))
  })

  it("another run shows the outage: one within hours before or after, or a failure of the test on an unrelated branch", () => {
    const near = (hours: number) => isNamed(0.625, withOutages(judgement(false), outage(hours, [])))
    assert.deepStrictEqual([-6.01, -6, 0, 6, 6.01].map(near), [false, true, true, true, false])
    assert.isTrue(isNamed(0.625, withOutages(judgement(false), outage(99, []), outage(5, []))))
    assert.isTrue(isNamed(0.625, { ...judgement(false), elsewhere }))
  })
})

describe("FailureDecision.decide, a message of its own branch alone", () => {
  const failing: Known = { rows: [row("~~+")] }

  it("a base that fails with another message explains a message that another branch has shown", () => {
    const broken = (known: Known, execution: Execution = {}) =>
      verdictOf({ base: 0.9 }, { ...failing, ...known }, { execution }) === "broken_on_base"
    const earlier = { commits: 2, same: 2 }
    assert.deepStrictEqual(
      [0, 1, 4, 5].map((seen) => broken({ seen, earlier, siblings: siblings("-+") })),
      [false, false, false, true]
    )
    assert.deepStrictEqual(
      [0, 1].map((seen) => broken({ seen })),
      [false, true]
    )
    assert.isTrue(broken({ seen: null }))
    assert.isTrue(broken({ seen: 0, rows: [row("--+")] }))
    assert.isTrue(broken({ seen: 0, rows: [row("??+")] }))
    assert.isTrue(broken({ seen: 0 }, onMain))
  })

  it("an own error is not an outage: by its words, or because most of the run fails with others", () => {
    const isNamed = (message: string, messageShare: number) =>
      verdictOf({ environment: 0.9 }, { seen: 0 }, { messageShare, execution: { message } }) === "outage"
    assert.isFalse(isNamed("expected 1 to equal 2", 1))
    assert.deepStrictEqual(
      [0.3, 1 / 3, 0.4].map((share) => isNamed("boom", share)),
      [false, true, true]
    )
    assert.isTrue(isNamed(network.message, 0.1))
  })

  it("without the name of a service it is not an outage of several tests of one file alone", () => {
    const isNamed = (message: string, isOneFile: boolean, known: Known = { seen: 0 }) =>
      verdictOf({ environment: 0.9 }, known, { isOneFile, execution: { message } }) === "outage"
    assert.deepStrictEqual(
      [true, false].map((isOneFile) => isNamed("timed out", isOneFile)),
      [false, true]
    )
    assert.isTrue(isNamed(network.message, true))
    assert.isTrue(isNamed("timed out", true, { seen: 1 }))
  })

  it("no first flake of a test is named where flakes rarely say such a thing", () => {
    const isNamed = (
      message: string,
      known: Known = {},
      { flakes = 0, ...execution }: Execution & { flakes?: number } = {}
    ) => verdictOf({ flake: 1 }, { seen: 0, ...known }, { flakes, execution: { ...execution, message } }) === "flaky"
    assert.deepStrictEqual(
      ["boom", "No module named 'cart'", "XPASS(strict)"].map((message) => isNamed(message)),
      [false, false, false]
    )
    assert.isTrue(["timed out", "expected 1 to equal 2", network.message].every((message) => isNamed(message)))
    assert.isTrue(isNamed("boom", {}, { flakes: 0.5 }))
    assert.isTrue(isNamed("boom", { test: { flakes: [flake("a", 3)], signatures: [], others: [] } }))
    assert.isTrue(isNamed("boom", { seen: 1 }))
    assert.isTrue(isNamed("boom", {}, onMain))
    assert.isTrue(isNamed("boom", { reruns: [rerun("passed")] }))
  })
})

describe("FailureDecision.decide, a message that names a service or a machine", () => {
  it("nothing is called new for it before a rerun has failed, too", () => {
    const named = (reruns: FailureFacts.FailureFacts["reruns"], known: Known = {}, execution: Execution = {}) =>
      decide({ change: 1 }, { reruns, ...known }, { execution: { ...network, ...execution } })
    assert.deepStrictEqual(named([]), { verdict: "undecided", cause: null })
    assert.deepStrictEqual(named([rerun("failed")]), { verdict: "new_failure", cause: "change" })
    assert.strictEqual(named([], {}, { attempts: 3 }).verdict, "undecided")
    assert.strictEqual(named([], {}, onMain).verdict, "undecided")
    assert.deepStrictEqual(named([], { rows: [] }), { verdict: "new_test", cause: null })
    assert.strictEqual(named([], {}, { message: "connection was lost" }).verdict, "new_failure")
  })
})

describe("FailureDecision.isKnownFlake", () => {
  it("a test is known to flake by a quarantine, a pass of the same code, or a flake within the memory", () => {
    const isKnown = (known: Known) => FailureDecision.isKnownFlake(factsOf(known), policy)
    const flaked = (days: number) => isKnown({ test: { flakes: [flake("a", days)], signatures: [], others: [] } })
    assert.isFalse(isKnown({}))
    assert.isTrue(isKnown({ quarantine: { id: "q", reason: "flaky", signatures: [] } }))
    assert.isTrue(isKnown({ reruns: [rerun("passed")] }))
    assert.isFalse(isKnown({ reruns: [{ ...rerun("failed"), at }] }))
    assert.deepStrictEqual([flaked(59), flaked(60)], [true, false])
  })
})
