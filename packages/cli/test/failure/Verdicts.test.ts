import { assert, describe, it } from "@effect/vitest"
import * as Verdicts from "../../src/failure/FailureLines.ts"

const place = { url: "http://lazaret.test", owner: "acme", repository: "widgets" }

const failure = (change: Partial<Verdicts.Failure> = {}): Verdicts.Failure => ({
  execution_id: "7c3d9e10-2b4f-5a6c-8d1e-0f9a8b7c6d5e.0",
  test_id: "0e4fc8a5-37ff-5a0b-9c6d-1f2f4f3a9a55",
  test_name: "Cart > sorts",
  pipeline_name: "CI",
  job_name: "unit",
  verdict: "flaky",
  cause: "flake",
  causes: { flake: 0.96, change: 0.04, base: 0, environment: 0, dependency: 0 },
  probability_flaky: 0.96,
  score: 5,
  title: "flaky (96 %)",
  reason: "passed on this commit in job unit",
  evidence: [],
  quarantined: false,
  is_blocking: true,
  gate_reason: "the gate does not let flaky failures pass",
  message: "boom",
  exception_type: null,
  file: "test/cart.ts",
  job_url: "https://ci.example/7",
  owners: [],
  mark: null,
  shared_cause: null,
  line: "Cart > sorts: flaky (96 %): passed on this commit in job unit",
  ...change
})

const terminal = { columns: null, hasColours: false }

const link = "http://lazaret.test/acme/widgets/tests/0e4fc8a5-37ff-5a0b-9c6d-1f2f4f3a9a55"

const passing = failure({ is_blocking: false, gate_reason: "the test is quarantined" })

describe("Verdicts", () => {
  it("the list of verdicts has one line for each test with a link, and says why a failure passes", () => {
    const of = (change: Partial<Verdicts.Failure>) => Verdicts.lines(terminal, place, [failure(change)])
    assert.deepStrictEqual(
      [of({}), Verdicts.lines(terminal, place, [passing]), of({ line: "a\nb" })],
      [
        `✗ Cart > sorts: flaky (96 %): passed on this commit in job unit · ${link}`,
        `○ Cart > sorts: flaky (96 %): passed on this commit in job unit (passes: the test is quarantined) · ${link}`,
        String.raw`✗ a\nb · ${link}`
      ]
    )
  })

  it("the list of verdicts names the other tests with the cause of a test, and no cause that it has alone", () => {
    const cause = { id: "6b1f8e2a-3c4d-5e6f-8a9b-0c1d2e3f4a5b", name: "Timeout, 12 tests of net", failed_here: 9 }
    const sentence = "one of 12 tests with this cause, 9 failed in this run"
    const of = (tests: number) =>
      Verdicts.lines(terminal, place, [failure({ shared_cause: { ...cause, tests, sentence } })])
    assert.strictEqual(of(12), `✗ Cart > sorts: flaky (96 %): passed on this commit in job unit; ${sentence} · ${link}`)
    assert.strictEqual(of(1), `✗ Cart > sorts: flaky (96 %): passed on this commit in job unit · ${link}`)
  })

  it("a test that failed in several jobs has one line, which names them and what each says", () => {
    const other = { job_name: "e2e", line: "Cart > sorts: undecided: it has no runs" }
    assert.strictEqual(
      Verdicts.lines(terminal, place, [failure(), failure({ job_name: "lint" }), failure(other)]),
      `✗ Cart > sorts: flaky (96 %): passed on this commit in job unit (unit, lint); undecided: it has no runs (e2e) · ${link}`
    )
  })

  it("jobs of two pipelines with one name are named with their pipelines", () => {
    const other = { pipeline_name: "Nightly", line: "Cart > sorts: undecided: it has no runs" }
    assert.strictEqual(
      Verdicts.lines(terminal, place, [failure(), failure(other), failure({ job_name: "lint" })]),
      "✗ Cart > sorts: flaky (96 %): passed on this commit in job unit (CI · unit, lint); undecided: it has no runs " +
        `(Nightly · unit) · ${link}`
    )
  })

  it("the command exits with 10 only when a failure blocks", () => {
    const codes = (["success", "neutral", "failure"] as const).map((conclusion) => Verdicts.exitCodeOf({ conclusion }))
    assert.deepStrictEqual(codes, [0, 0, 10])
  })

  it("a test passes only when each of its failures does", () => {
    const other = { ...passing, test_name: "other" }
    assert.deepStrictEqual([...Verdicts.passing([failure(), passing, other])], ["other"])
  })

  it("the list of verdicts tells a CI system the line without the name of the test", () => {
    const [first] = Verdicts.shown(place, [passing])
    assert.deepStrictEqual(first, {
      testName: "Cart > sorts",
      sentence: "flaky (96 %): passed on this commit in job unit (passes: the test is quarantined)",
      isBlocking: false,
      message: "boom",
      file: "test/cart.ts",
      line: null,
      url: link
    })
  })
})
