import { AutoQuarantine, Execution, Instant } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"

const policy = AutoQuarantine.defaults
const now = 100 * Instant.day

/** A test that just meets every condition. */
const fit: AutoQuarantine.Candidate = {
  status: "flaky",
  executions: 20,
  commits: 5,
  flakyCommits: 2,
  failedCommits: 3,
  failedMs: 24 * Instant.hour,
  firstSeenAt: now - 24 * Instant.hour,
  passedCleanly: true,
  removedAt: now - 14 * Instant.day
}

const judge = (
  changes: Partial<AutoQuarantine.Candidate>,
  setting: "flaky" | "flaky_and_broken" = "flaky",
  rules: AutoQuarantine.AutoQuarantinePolicy = policy
) => AutoQuarantine.judge({ ...fit, ...changes }, setting, now, rules)

const objections = (...parts: Parameters<typeof judge>): ReadonlyArray<string> =>
  Result.getOrThrow(Result.flip(judge(...parts)))

describe("AutoQuarantine.provenBy", () => {
  const run = (commit: string, at: number, conclusion: "passed" | "failed", excused = false) =>
    Execution.observed({ id: `${at}`, at, commit, conclusion, excused })
  const clean = { commit: "fixed", at: 50, passed: 29, failed: 0 }
  const past = [run("old", 1, "failed"), run("fixed", 40, "passed"), run("later", 60, "passed")]
  const proven = (parts: Partial<AutoQuarantine.StressFacts> = {}, stressRuns = 29) =>
    AutoQuarantine.provenBy({ stress: [clean], identities: [past], ...parts }, { stressRuns })

  it("the latest stress run with enough clean runs on a commit of the default branch proves a fix", () => {
    assert.deepStrictEqual(proven(), clean)
    assert.deepStrictEqual(proven({ stress: [{ ...clean, at: 49, failed: 1 }, clean] }), clean)
    assert.deepStrictEqual(proven({ identities: [[...past, run("later", 70, "failed", true)]] }), clean)
  })

  it("no stress run, too few runs, a failure in it or later, another commit and the number 0 prove nothing", () => {
    assert.isNull(proven({ stress: [] }))
    assert.isNull(proven({}, 30))
    assert.isNull(proven({}, 0))
    assert.isNull(proven({ stress: [clean, { ...clean, at: 51, failed: 1 }] }))
    assert.isNull(proven({ stress: [{ ...clean, commit: "elsewhere" }] }))
    assert.isNull(proven({ identities: [past, [run("fixed", 41, "failed")]] }))
    assert.isNull(proven({ identities: [[...past, { ...run("later", 70, "passed"), flaky: true }]] }))
  })
})

describe("AutoQuarantine.judge", () => {
  it("quarantines a flaky test that meets every condition, and says why in words", () => {
    const reason = "Flaky: failed and passed on 2 of 5 commits (20 executions) in the last 14 days."
    assert.strictEqual(Result.getOrThrow(judge({})), reason)
    assert.isTrue(Result.isSuccess(judge({ removedAt: null })))
  })

  const guards: ReadonlyArray<readonly [guard: string, change: Partial<AutoQuarantine.Candidate>, objection: string]> =
    [
      ["a healthy test", { status: "healthy" }, "is healthy"],
      ["a broken test, unless the setting names them", { status: "broken" }, "is broken"],
      ["19 executions", { executions: 19 }, "has only 19 executions"],
      ["4 commits", { commits: 4 }, "ran on only 4 commits"],
      ["less than 24 hours", { firstSeenAt: now - 24 * Instant.hour + 1 }, "is younger than 24 hours"],
      ["one flaky commit", { flakyCommits: 1 }, "was flaky on only 1 commit"],
      ["less than 1 % of the commits", { commits: 201 }, "was flaky on less than 1 % of its commits"],
      ["no clean pass ever", { passedCleanly: false }, "has never passed cleanly on the default branch"],
      [
        "a release by hand in the last 14 days",
        { removedAt: now - 14 * Instant.day + 1 },
        "was released by hand within the last 14 days"
      ]
    ]
  for (const [guard, change, objection] of guards) {
    it(`${guard} alone prevents a quarantine`, () => {
      assert.deepStrictEqual(objections(change), [objection])
    })
  }

  it("every objection is named, not only the first", () => {
    assert.strictEqual(objections({ executions: 0, commits: 0, flakyCommits: 0 }).length, 3)
  })

  it("1 % of the commits is enough", () => {
    assert.isTrue(Result.isSuccess(judge({ commits: 200, flakyCommits: 2 })))
    assert.deepStrictEqual(objections({ commits: 301, flakyCommits: 3 }), ["was flaky on less than 1 % of its commits"])
  })

  it("a share is met exactly, whatever percentage the policy names, and is written as that", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 2000 }), (percent, scale) => {
        const rules = { ...policy, commits: 1, flakyCommits: 1, flakyShare: percent / 100 }
        const flakyCommits = percent * scale
        assert.isTrue(Result.isSuccess(judge({ commits: 100 * scale, flakyCommits }, "flaky", rules)))
        assert.deepStrictEqual(objections({ commits: 100 * scale + 1, flakyCommits }, "flaky", rules), [
          `was flaky on less than ${percent} % of its commits`
        ])
      })
    )
  })

  it("with the setting for it a broken test is quarantined without flaky commits, all other guards stand", () => {
    const broken = { status: "broken", flakyCommits: 0 } as const
    const reason = "Broken: failed on 3 of 5 commits (20 executions) in the last 14 days."
    assert.strictEqual(Result.getOrThrow(judge(broken, "flaky_and_broken")), reason)
    assert.isTrue(Result.isSuccess(judge({}, "flaky_and_broken")))
    const others: ReadonlyArray<Partial<AutoQuarantine.Candidate>> = [
      { status: "healthy" },
      { executions: 19 },
      { commits: 4 },
      { firstSeenAt: now },
      { passedCleanly: false },
      { failedCommits: 2 },
      { failedMs: 24 * Instant.hour - 1 },
      { removedAt: now }
    ]
    for (const change of others) {
      const candidate = { ...broken, flakyCommits: 2, ...change }
      assert.strictEqual(objections(candidate, "flaky_and_broken").length, 1, JSON.stringify(change))
    }
  })
})

describe("AutoQuarantine.remaining", () => {
  const remaining = (activeTests: number, createdLastDay: number, rules = policy) =>
    AutoQuarantine.remaining({ activeTests, createdLastDay }, rules)

  it("10 or 2 % of the active tests per day, whichever is more, less what was created", () => {
    const table: ReadonlyArray<readonly [activeTests: number, created: number, remaining: number]> = [
      [0, 0, 10],
      [500, 0, 10],
      [549, 0, 10],
      [550, 0, 11],
      [100_000, 0, 2000],
      [0, 9, 1],
      [0, 10, 0],
      [0, 11, 0],
      [550, 10, 1]
    ]
    for (const [activeTests, created, expected] of table) {
      assert.strictEqual(remaining(activeTests, created), expected, `${activeTests} tests, ${created} created`)
    }
  })

  it("a share is met exactly, whatever percentage the policy names", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 2000 }), (percent, scale) => {
        const rules = { ...policy, budget: 0, budgetShare: percent / 100 }
        assert.strictEqual(remaining(100 * scale, 0, rules), percent * scale)
        if (percent > 0 && scale > 0) assert.strictEqual(remaining(100 * scale - 1, 0, rules), percent * scale - 1)
      }),
      { numRuns: 1000 }
    )
  })

  it("a policy without a budget creates nothing", () => {
    assert.strictEqual(remaining(1000, 0, { ...policy, budget: 0, budgetShare: 0 }), 0)
  })
})

describe("AutoQuarantine.isToBeRemoved", () => {
  it("only what the automation created is released, after recovery has held for 7 days", () => {
    const since = now - 7 * Instant.day
    const table: ReadonlyArray<readonly [source: "manual" | "auto", since: number | null, removed: boolean]> = [
      ["auto", since, true],
      ["auto", since + 1, false],
      ["auto", null, false],
      ["manual", since, false],
      ["manual", null, false]
    ]
    for (const [source, recoveredSince, removed] of table) {
      assert.strictEqual(AutoQuarantine.isToBeRemoved({ source, recoveredSince }, now, policy), removed)
    }
  })
})

describe("AutoQuarantine.AutoQuarantinePolicy", () => {
  it("AutoQuarantine.AutoQuarantinePolicy accepts the defaults", () => {
    assert.isTrue(Schema.is(AutoQuarantine.AutoQuarantinePolicy)(policy))
  })
})
