import { FailureFacts, FailureGate, FailurePolicy, FailurePrecision, FailureVerdict, Instant } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import * as ModelStory from "./support/ModelStory.ts"

const now = Date.UTC(2026, 0, 31)

const outcome = (change: Partial<FailurePrecision.FieldOutcome> = {}): FailurePrecision.FieldOutcome => ({
  at: now - Instant.day,
  probability: 0.9,
  passed: 1,
  failed: 0,
  mark: null,
  ...change
})

const measure = (outcomes: ReadonlyArray<FailurePrecision.FieldOutcome>) =>
  FailurePrecision.measure(outcomes, now, FailurePrecision.defaults)

const outcomes = fc.array(
  fc.record({
    at: fc.integer({ min: now - 40 * Instant.day, max: now + Instant.day }),
    probability: fc.double({ min: 0, max: 1, noNaN: true }),
    passed: fc.nat(2),
    failed: fc.nat(2),
    mark: fc.constantFrom(null, "flaky" as const, "real" as const)
  }),
  { maxLength: 40 }
)

describe("FailurePrecision.measure", () => {
  it("FailurePrecision.measure switches the excuses off below the precision, once enough outcomes are known", () => {
    const wrong = outcome({ passed: 0, failed: 1 })
    const list = (right: number, wrongs: number) => [
      ...Array.from({ length: right }, () => outcome()),
      ...Array.from({ length: wrongs }, () => wrong)
    ]
    assert.strictEqual(measure(list(18, 2)).excuses, "on")
    assert.strictEqual(measure(list(17, 3)).excuses, "off")
    assert.strictEqual(measure(list(0, 19)).excuses, "on")
    assert.deepStrictEqual(measure([]), {
      known: 0,
      right: 0,
      precision: null,
      calibrationError: null,
      excuses: "on"
    })
  })

  it("a mark beats the reruns, and a failure without a rerun is unknown", () => {
    assert.strictEqual(FailurePrecision.truth(outcome({ mark: "real" })), false)
    assert.strictEqual(FailurePrecision.truth(outcome({ passed: 0, failed: 3, mark: "flaky" })), true)
    assert.strictEqual(FailurePrecision.truth(outcome({ passed: 1, failed: 3 })), true)
    assert.strictEqual(FailurePrecision.truth(outcome({ passed: 0, failed: 0 })), null)
  })

  it("outcomes count for 30 days, the start exclusive and now inclusive", () => {
    const at = (instant: number) => measure([outcome({ at: instant })]).known
    assert.strictEqual(at(now - 30 * Instant.day), 0)
    assert.strictEqual(at(now - 30 * Instant.day + 1), 1)
    assert.strictEqual(at(now), 1)
    assert.strictEqual(at(now + 1), 0)
  })

  it("the order of the outcomes plays no part, and every share is one", () => {
    fc.assert(
      fc.property(outcomes, (list) => {
        const figures = measure(list)
        const turned = measure(list.toReversed())
        assert.deepStrictEqual({ ...turned, calibrationError: 0 }, { ...figures, calibrationError: 0 })
        assert.closeTo(turned.calibrationError ?? 0, figures.calibrationError ?? 0, 1e-9)
        for (const share of [figures.precision, figures.calibrationError]) {
          assert.isTrue(share === null || (share >= 0 && share <= 1))
        }
      })
    )
  })

  it("the calibration error is the distance of what was said from what came out", () => {
    const say = (probability: number, isFlake: boolean) => ({ probability, isFlake })
    assert.strictEqual(FailurePrecision.calibrationError([say(1, true), say(0, false)]), 0)
    assert.strictEqual(FailurePrecision.calibrationError([say(1, false), say(0, true)]), 1)
    assert.closeTo(FailurePrecision.calibrationError([say(0.5, true), say(0.5, false)]) ?? 1, 0, 1e-12)
  })
})

describe("FailurePrecision.PrecisionPolicy", () => {
  const isValid = Schema.is(FailurePrecision.PrecisionPolicy)
  const of = (change: Partial<FailurePrecision.PrecisionPolicy>) => isValid({ ...FailurePrecision.defaults, ...change })

  it("a precision is a share, and outcomes and days are bounded", () => {
    assert.deepStrictEqual(
      [0, 1, -0.01, 1.01].map((leastPrecision) => of({ leastPrecision })),
      [true, true, false, false]
    )
    assert.deepStrictEqual(
      [1, 1_000_000, 0, 1_000_001].map((leastOutcomes) => of({ leastOutcomes })),
      [true, true, false, false]
    )
    assert.deepStrictEqual(
      [1, 365, 0, 366].map((days) => of({ days })),
      [true, true, false, false]
    )
  })
})

describe("FailurePrecision.stages", () => {
  const known = fc.array(
    fc.record({
      at: fc.nat(1000),
      probability: fc.double({ min: 0, max: 1, noNaN: true }),
      odds: fc.double({ min: -8, max: 8, noNaN: true }),
      isFlake: fc.boolean()
    }),
    { maxLength: 200 }
  )

  it("every outcome is in one stage, each later stage doubles their number, and the order plays no part", () => {
    fc.assert(
      fc.property(known, (list) => {
        const stages = FailurePrecision.stages(list)
        assert.strictEqual(stages.at(-1)?.to ?? 0, list.length)
        stages.forEach(({ error, from, to }, index) => {
          assert.strictEqual(from, (stages[index - 1]?.to ?? 0) + 1)
          if (index < stages.length - 1) assert.strictEqual(to, 20 * 2 ** index)
          assert.isTrue(error >= 0 && error <= 1)
        })
        const turned = FailurePrecision.stages(list.toReversed())
        stages.forEach(({ until }, index) => assert.strictEqual(turned[index]?.until, until))
      })
    )
  })

  it("a calibration that learns from outcomes lowers the error of later stages, and not that of the model", () => {
    const list = Array.from({ length: 40 }, (_, at) => ({
      at,
      probability: at < 20 ? 0.5 : 0.9,
      odds: 0,
      isFlake: true
    }))
    const [first, second] = FailurePrecision.stages(list)
    assert.deepStrictEqual([first?.error, first?.uncalibrated, second?.uncalibrated], [0.25, 0.25, 0.25])
    assert.closeTo(second?.error ?? 1, 0.01, 1e-9)
  })
})

describe("FailurePrecision.retriedOf", () => {
  const kept = { pipelineName: "CI", jobName: "unit", commit: "c", runId: null, at: 0, mark: null } as const
  const flaky = { ...kept, verdict: "flaky", outcome: null } as const

  it("a job run with a real failure counts as run again only when each of its verdicts was flaky", () => {
    const real = { ...kept, verdict: "flaky", outcome: "real" } as const
    const counts = (...all: ReadonlyArray<FailurePrecision.OfJobRun>) => {
      const { real: of, retried } = FailurePrecision.retriedOf(all)
      return [retried, of]
    }
    assert.deepStrictEqual(counts(), [0, 0])
    assert.deepStrictEqual(counts(flaky, { ...flaky, outcome: "flaky" }), [0, 0])
    assert.deepStrictEqual(counts(flaky, real), [1, 1])
    assert.deepStrictEqual(counts(flaky, real, { ...flaky, verdict: "new_failure" }), [0, 1])
    assert.deepStrictEqual(counts(real, { ...real, at: 1, verdict: "undecided" }), [1, 2])
    assert.deepStrictEqual(counts({ ...real, mark: { truth: "flaky", by: "ada", at: 1 } }), [0, 0])
  })

  it("the sentence says that nothing is known before a failure is known to be real", () => {
    const policy = FailurePrecision.defaults
    assert.match(FailurePrecision.retriedSentence({ real: 0, retried: 0 }, policy), /is not known/u)
    assert.match(FailurePrecision.retriedSentence({ real: 61, retried: 1 }, policy), /1 of 61 job runs .* \(2 %\)/u)
  })
})

describe("FailurePrecision.firstOf", () => {
  const execution: FailureFacts.FailedExecution = { ...ModelStory.failure, at: now, file: null }

  const firstOf = (change: Partial<FailureFacts.FailedExecution>, reruns: ReadonlyArray<FailureFacts.Rerun> = []) => {
    const facts = FailureFacts.of({ ...execution, ...change }, { reruns })
    return FailurePrecision.firstOf(facts, FailureVerdict.judge(facts, FailurePolicy.defaults, FailureGate.defaults))
  }

  it("the first verdict is kept with the run of a pull request, and for a push without one", () => {
    const kept = firstOf({})
    assert.deepStrictEqual([kept?.executionId, kept?.runId, kept?.at, kept?.commit], ["e1", "7", now, "c9"])
    assert.isNull(firstOf({ branch: "main", isPullRequest: false })?.runId)
  })

  it("nothing is kept of a failure without a report, of a fork, or after a pass of the same code", () => {
    const rerun = { id: "r", runId: "7", at: now, conclusion: "passed" } as const
    assert.isNull(firstOf({ id: "" }))
    assert.isNull(firstOf({ branch: "ada:topic" }))
    assert.isNull(firstOf({}, [rerun]))
    assert.isNotNull(firstOf({}, [{ ...rerun, conclusion: "failed" }]))
  })
})

describe("FailurePrecision, outcomes", () => {
  // The calibration passes on the rest as it is.
  const kept = (known: FailurePrecision.Truth | null, mark: FailurePrecision.Truth | null) =>
    ({
      outcome: known,
      mark: mark === null ? null : { truth: mark, by: "ada", at: now }
    }) as FailurePrecision.KeptVerdict

  it("a mark beats the outcome for the calibration, and without both there is nothing to learn", () => {
    const isFlaky = (...given: Parameters<typeof kept>) =>
      FailurePrecision.resolvedOf(kept(...given)).map((each) => each.isFlaky)
    assert.deepStrictEqual(
      [
        isFlaky("flaky", null),
        isFlaky("real", null),
        isFlaky("real", "flaky"),
        isFlaky("flaky", "real"),
        isFlaky(null, null)
      ],
      [[true], [false], [true], [false], []]
    )
  })

  it("answers of one tenth are compared together, and certain ones with those above nine tenths", () => {
    const error = (...given: ReadonlyArray<readonly [probability: number, isFlake: boolean]>) =>
      FailurePrecision.calibrationError(given.map(([probability, isFlake]) => ({ probability, isFlake }))) ?? 9
    assert.closeTo(error([0.91, true], [1, false]), 0.455, 1e-12)
    assert.closeTo(error([0.89, false], [0.91, true]), 0.49, 1e-12)
    assert.closeTo(error([0.41, false], [0.49, true]), 0.05, 1e-12)
    assert.closeTo(error([0.05, true], [0.09, false]), 0.43, 1e-12)
  })

  it("the sentences round to whole percents and count job runs", () => {
    const { defaults, retriedSentence, sentence } = FailurePrecision
    assert.strictEqual(
      retriedSentence({ real: 1, retried: 1 }, defaults),
      "a retry exit code would have run 1 of 1 job run with a real failure again in the last 30 days (100 %)"
    )
    assert.match(retriedSentence({ real: 3, retried: 2 }, defaults), /2 of 3 job runs .* \(67 %\)$/u)
    assert.strictEqual(
      sentence({ known: 40, right: 37, precision: 37 / 40 }, defaults),
      "flaky was right in 37 of 40 known cases of the last 30 days (93 %)"
    )
    assert.match(sentence({ known: 0, right: 0, precision: null }, defaults), /^there is no known outcome yet/u)
  })

  it("a stage shows how far both probabilities were from what came out, flakes and real failures alike", () => {
    const of = (isFlake: boolean) =>
      FailurePrecision.stages([{ at: 7, probability: 0.75, odds: 2, isFlake }]).map(
        ({ error, uncalibrated, until }) => [error, Number(uncalibrated.toFixed(6)), until]
      )
    assert.deepStrictEqual(of(true), [[0.0625, 0.04, 7]])
    assert.deepStrictEqual(of(false), [[0.5625, 0.64, 7]])
  })

  it("outcomes of one instant are in the order of their odds, then of their probabilities", () => {
    const last = { at: 0, probability: 0.5, odds: 3, isFlake: true }
    const rest = Array.from({ length: 20 }, () => ({ ...last, probability: 1, odds: 0 }))
    assert.deepStrictEqual(
      FailurePrecision.stages([last, ...rest]).map(({ error }) => error),
      [0, 0.25]
    )
    const tied = { ...last, odds: 0, probability: 1 }
    const wrong = Array.from({ length: 20 }, () => ({ ...tied, probability: 0.5 }))
    assert.deepStrictEqual(
      FailurePrecision.stages([tied, ...wrong]).map(({ error }) => error),
      [0.25, 0]
    )
  })
})
