import { assert, describe, it } from "@effect/vitest"
import { FailureVerdict } from "@lazaret/domain"
import * as fc from "fast-check"
import * as Format from "../app/Format.ts"
import * as Words from "../app/pages/failure/Words.ts"
import { adviceFor } from "../app/pages/health/test/Advice.ts"
import * as Filters from "../app/pages/health/tests/Filters.ts"
import * as Places from "../app/Places.ts"

const repository = fc.record({
  owner: fc.stringMatching(/^[a-zA-Z0-9-]{1,40}$/u),
  repository: fc.stringMatching(/^[\w.-]{1,100}$/u).filter((name) => !/^\.{1,2}$/u.test(name))
})

describe("the advice on a test", () => {
  const quarantined = (is_recovered: boolean, branch: string | null = null) => ({
    id: "95147142-6ce2-4ccb-a2f9-d178b6dc26e0",
    test_name: "a",
    test_id: "75f92ba9-9c7f-5de8-8796-e04c0e4c6473",
    reason: "r",
    branch,
    created_at: "2026-01-01T00:00:00.000Z",
    is_recovered
  })

  it("a flaky test is run again and mended, and a recovered one is released", () => {
    assert.match(adviceFor("flaky", []), /run the job again/u)
    assert.match(adviceFor("flaky", [quarantined(true)]), /release it/u)
  })

  it("one quarantine that has not recovered keeps the test in quarantine", () => {
    assert.match(adviceFor("healthy", [quarantined(true), quarantined(false)]), /leave it in quarantine/u)
    assert.strictEqual(
      adviceFor("broken", [quarantined(false, "release/*")]),
      "Its failures do not fail a build on release/*: fix it before somebody relies on it again."
    )
  })
})

describe("places", () => {
  it("each path leads to the page that it was written for", () => {
    fc.assert(
      fc.property(repository, fc.uuid(), (of, testId) => {
        const page = (path: string) => Places.pageOf(path.split("?")[0] ?? "")
        assert.deepStrictEqual(page(Places.overview(of)), { name: "overview", repository: of })
        assert.deepStrictEqual(page(Places.tests(of, { sort: "test_name" })), { name: "tests", repository: of })
        assert.deepStrictEqual(page(Places.test(of, testId)), { name: "test", repository: of, testId })
        assert.deepStrictEqual(page(Places.quarantine(of)), { name: "quarantine", repository: of })
        assert.deepStrictEqual(page(Places.queue(of)), { name: "queue", repository: of })
        assert.deepStrictEqual(page(Places.manual), { name: "manual" })
      })
    )
  })

  it("the failures of a commit, a run and a pull request have a page, whatever is in their ids", () => {
    const id = fc.string({ minLength: 1, unit: "grapheme" })
    fc.assert(
      fc.property(repository, fc.constantFrom("commit", "run", "pull"), id, (of, kind, text) => {
        const subject = { kind, id: text }
        assert.deepStrictEqual(Places.pageOf(Places.failures(of, subject)), {
          name: "failures",
          repository: of,
          subject
        })
      })
    )
  })

  it("an unknown path has no page", () => {
    for (const path of ["/acme", "/acme/demo/nothing", "/acme/demo/queue/1", "/acme/demo/tests/1/2"]) {
      assert.deepStrictEqual(Places.pageOf(path), { name: "unknown" }, path)
    }
    assert.deepStrictEqual(Places.pageOf("/%zz/demo").name, "overview")
  })
})

describe("filters", () => {
  it("the question has the filters of the address, and nothing that the route would refuse", () => {
    const query = new URLSearchParams("search=cart+add&health_status=flaky&job_name=a&job_name=b&days=7&all=1&cursor=x")
    assert.strictEqual(
      Filters.questionOf(query).toString(),
      "search=cart+add&health_status=flaky&job_name=a&job_name=b&cursor=x&per_page=25"
    )
    assert.deepStrictEqual(Filters.activeIn(query), ["search", "health_status", "job_name", "job_name"])
  })

  it("an order that is put into the address is the order that the page reads there", () => {
    for (const [sort] of Filters.sorts) {
      for (const direction of ["asc", "desc"] as const) {
        const query = new URLSearchParams()
        for (const [name, value] of Object.entries(Filters.orderOf(sort, direction))) {
          if (value !== null) query.set(name, value)
        }
        assert.deepStrictEqual(Filters.sortOf(query), { sort, direction })
      }
    }
  })
})

describe("verdicts", () => {
  it("each verdict of the domain has its words, and those of a domain sentence", () => {
    assert.sameMembers(
      Words.verdicts.map(([verdict]) => verdict),
      [...FailureVerdict.Verdict.literals]
    )
    for (const [verdict, words] of Words.verdicts) {
      assert.strictEqual(FailureVerdict.title(verdict, 0.5), verdict === "flaky" ? `${words} (50 %)` : words)
    }
  })
})

describe("formats", () => {
  it("a share is never rounded to nothing or to all", () => {
    const shown = [0, 0.0001, 0.004, 0.126, 0.9951, 0.9999, 1].map(Format.percent)
    assert.deepStrictEqual(shown, ["0 %", "< 0.1 %", "0.4 %", "13 %", "99.5 %", "> 99.9 %", "100 %"])
  })

  it("a duration has the unit in which it is short", () => {
    const shown = [0, 0.0042, 0.35, 0.9996, 1.25, 59.96, 125, 3599.6, 7320, 90_000].map(Format.duration)
    assert.deepStrictEqual(shown, [
      "0 s",
      "4.2 ms",
      "350 ms",
      "1 s",
      "1.3 s",
      "1 min",
      "2 min 5 s",
      "1 h",
      "2 h 2 min",
      "25 h"
    ])
  })

  it("a moment is as far away as its largest whole unit", () => {
    const now = Date.UTC(2026, 0, 31)
    const shown = [0, -59_999, -60_000, -7_199_999, -86_400_000, 86_400_000].map((by) => Format.ago(now + by, now))
    assert.deepStrictEqual(shown, ["just now", "just now", "1 minute ago", "1 hour ago", "1 day ago", "in 1 day"])
  })
})
