import { assert, describe, it } from "@effect/vitest"
import { Report, TestIdentity } from "@lazaret/domain"
import * as Gate from "../../src/failure/Gate.ts"
import * as Retry from "../../src/failure/Retry.ts"

type Judged = Retry.Ended["judged"][number]

/** A failure of which the rule reads three fields. */
const judgedAs = (test_name: string, verdict: Judged["verdict"], is_blocking = true): Judged =>
  ({ test_name, verdict, is_blocking }) as Judged

const reportsOf = (...names: ReadonlyArray<string>): Gate.Facts["reports"] => [
  {
    file: "r.xml",
    parsed: {
      cases: names.map((testName) => Report.caseOf({ testName, conclusion: "failed" })),
      attempts: new Map(),
      incomplete: []
    } as unknown as Gate.Facts["reports"][number]["parsed"]
  }
]

const ended = (judged: ReadonlyArray<Judged>, change: Partial<Retry.Ended & Pick<Gate.Facts, "unreadable">> = {}) => {
  const reports = change.reports ?? reportsOf(...judged.map(({ test_name }) => test_name))
  const quarantined = new Set(judged.filter((each) => !each.is_blocking).map(({ test_name }) => test_name))
  const { testsEnded = 1, unreadable = [] } = change
  const verdict = Gate.judge({ reports, unreadable, quarantined, testsEnded })
  return Retry.isWorthwhile({ judged, isPrecise: true, ...change, reports, testsEnded, verdict })
}

const flaky = judgedAs("a", "flaky")

describe("Retry", () => {
  it("a job is worth another run when every failure that blocks is judged flaky", () => {
    assert.isTrue(ended([flaky]))
    assert.isTrue(ended([flaky, judgedAs("b", "flaky")]))
    assert.isTrue(ended([flaky, judgedAs("q", "new_failure", false)]), "a failure that passes the gate does not matter")
  })

  it("a job is not run again when a failure that blocks has another verdict than flaky", () => {
    for (const verdict of ["new_failure", "new_test", "broken_on_base", "outage", "undecided"] as const) {
      assert.isFalse(ended([flaky, judgedAs("b", verdict)]), verdict)
    }
  })

  it("a job is not run again without a failure that blocks, with an incomplete report, or after a crash", () => {
    assert.isFalse(ended([]))
    assert.isFalse(ended([judgedAs("a", "flaky", false)]))
    assert.isFalse(ended([flaky], { unreadable: ["half.xml"] }))
    assert.isFalse(ended([flaky, judgedAs(TestIdentity.testRun, "flaky")]), "the run failed outside of its tests")
    assert.isFalse(ended([flaky], { reports: reportsOf("a", "b") }), "a failure that was not judged")
    for (const testsEnded of [126, 127, 137, 139, 143]) assert.isFalse(ended([flaky], { testsEnded }), `${testsEnded}`)
  })

  it("a job is not run again while `flaky` is right less often than the repository demands", () => {
    assert.isFalse(ended([flaky], { isPrecise: false }))
  })
})
