import { Instant, Report } from "@lazaret/domain"
import { cases, latestFinish, type ReportParts, reportParts, runContexts } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const run: Report.RunContext = {
  pipelineName: "CI",
  jobName: "unit",
  branch: "main",
  baseBranch: null,
  commit: "c1",
  runId: "1",
  runAttempt: 1,
  jobUrl: null,
  framework: null,
  frameworkVersion: null,
  language: null,
  pullRequest: null,
  pullNumber: null
}

const passed: Report.Case = {
  testName: "adds",
  at: null,
  durationMs: 1,
  conclusion: "passed",
  flaky: false,
  reruns: 0,
  exception: null,
  filepath: null,
  functionName: null
}

const make = (parts: Partial<ReportParts> = {}): Report.Report =>
  Report.make({
    key: "key",
    digest: "d",
    receivedAt: latestFinish,
    finishedAt: latestFinish,
    run,
    cases: [passed],
    ...parts
  })

const ids = (report: Report.Report) => report.executions.map(({ testName, id }) => [testName, id])

describe("Report.make, ids", () => {
  it("the id is derived from the key, and is the same for ever", () => {
    assert.strictEqual(make().id, "2f83270a-adc1-5d37-af68-50cd1017e0c8")
    assert.notStrictEqual(make({ key: "other" }).id, make().id)
  })

  it("executions of one name are numbered from 0, those of another name apart", () => {
    const named = (...names: ReadonlyArray<string>) => names.map((testName) => ({ ...passed, testName }))
    const report = make({ cases: named("a", "b", "a", "a") })
    const ordinals = report.executions.map(({ testName, id }) => [testName, id.slice(report.id.length)])
    assert.deepStrictEqual(ordinals, [
      ["a", ".0"],
      ["b", ".0"],
      ["a", ".1"],
      ["a", ".2"]
    ])
  })

  it.prop(
    "ids do not depend on arrival, run, digest or what the cases say",
    [reportParts(), runContexts],
    ([parts, other]) => {
      const later = { ...parts, receivedAt: parts.receivedAt + 1, finishedAt: 0, digest: "other", run: other }
      const changed = Array.from(parts.cases, ({ testName }) => ({ ...passed, testName }))
      assert.deepStrictEqual(ids(Report.make({ ...later, cases: changed })), ids(Report.make(parts)))
    }
  )

  it.prop("ids do not depend on cases of other names around them", [reportParts(), cases], ([parts, added]) => {
    const own = Array.from(parts.cases).filter(({ testName }) => testName !== added.testName)
    const mixed = Report.make({ ...parts, cases: own.flatMap((one) => [added, one]) })
    assert.deepStrictEqual(
      ids(mixed).filter(([testName]) => testName !== added.testName),
      ids(Report.make({ ...parts, cases: own }))
    )
  })

  it.prop(
    "the executions of distinct names are the same without looking for equal ones",
    [reportParts()],
    ([parts]) => {
      const all = new Map(Array.from(parts.cases, (one) => [one.testName, one] as const))
      const distinct = [...all.values()]
      assert.deepStrictEqual(
        distinct.map(Report.executionOf(parts, { hasDistinctNames: true })),
        Report.make({ ...parts, cases: distinct }).executions
      )
    }
  )

  it.prop(
    "ids are unique among the executions of a test, in and across reports",
    [reportParts(), reportParts()],
    ([a, b]) => {
      const reports = a.key === b.key ? [a] : [a, b]
      const all = reports.flatMap((parts) => ids(Report.make(parts)).map((pair) => JSON.stringify(pair)))
      assert.strictEqual(new Set(all).size, all.length)
    }
  )
})

describe("Report.make, times and durations", () => {
  const at = (parts: Partial<ReportParts>) => make(parts).executions.map((execution) => execution.at)

  it("a case keeps its own time, and without one has that of the report", () => {
    const own = { ...passed, at: latestFinish - 5 }
    assert.deepStrictEqual(at({ cases: [own, passed], finishedAt: latestFinish - 1 }), [
      latestFinish - 5,
      latestFinish - 1
    ])
  })

  it("a clock that runs ahead by up to ten minutes is believed, and one further ahead is not", () => {
    const minutes = (count: number) => latestFinish + count * Instant.minute
    const stated = [passed, ...[1, 10, 10.001, 60].map((count) => ({ ...passed, at: minutes(count) }))]
    const believed = [minutes(1), minutes(10)]
    const own = minutes(5)
    assert.deepStrictEqual(at({ cases: stated, finishedAt: own }), [own, ...believed, own, own])
    // The run is too far ahead as well: its arrival stands for it.
    const arrival = latestFinish
    assert.deepStrictEqual(at({ cases: stated, finishedAt: minutes(11) }), [arrival, ...believed, arrival, arrival])
  })

  it("only a failed case and a flaky pass keep their exception", () => {
    const exception = { type: "E", message: "m", stacktrace: null }
    const each = [{ conclusion: "failed" }, { flaky: true }, {}, { conclusion: "skipped", flaky: true }] as const
    const kept = make({ cases: each.map((parts) => ({ ...passed, exception, ...parts })) }).executions
    assert.deepStrictEqual(
      kept.map((execution) => execution.exception),
      [exception, exception, null, null]
    )
  })

  it("durations are exact to the microsecond", () => {
    const durations = [0.0004, 0.0005, 1.23456, 1000].map((durationMs) => ({ ...passed, durationMs }))
    assert.deepStrictEqual(
      make({ cases: durations }).executions.map((execution) => execution.durationMs),
      [0, 0.001, 1.235, 1000]
    )
  })

  it.prop("everything else of a case is kept, in order", [reportParts()], ([parts]) => {
    const kept = Report.make(parts).executions.map(({ id: _id, at: _at, ...rest }) => rest)
    assert.deepStrictEqual(
      kept,
      Array.from(parts.cases, ({ at: _at, ...rest }) => rest)
    )
  })

  it.prop("every generated report satisfies the schema", [reportParts()], ([parts]) => {
    assert.deepStrictEqual(Schema.decodeUnknownSync(Report.Report)(Report.make(parts)), Report.make(parts))
  })
})

describe("Report.runKey", () => {
  it("another pipeline, job, run or attempt is another job run; branch and commit are not asked", () => {
    const others = [{ pipelineName: "x" }, { jobName: "x" }, { runId: "x" }, { runAttempt: 2 }]
    const keys = [run, ...others.map((other) => ({ ...run, ...other }))].map(Report.runKey)
    assert.strictEqual(new Set(keys).size, keys.length)
    const elsewhere = { ...run, branch: "x", commit: "x", jobUrl: "x" }
    assert.strictEqual(Report.runKey(elsewhere), Report.runKey(run))
  })

  it.prop("Report.runKey is equal for the same job run only", [runContexts, runContexts], ([a, b]) => {
    const isSame =
      a.pipelineName === b.pipelineName &&
      a.jobName === b.jobName &&
      a.runId === b.runId &&
      a.runAttempt === b.runAttempt
    assert.strictEqual(Report.runKey(a) === Report.runKey(b), isSame)
    assert.strictEqual(Report.runKey({ ...b, ...a }), Report.runKey(a))
  })
})

describe("Report.RunContext", () => {
  const isRun = Schema.is(Report.RunContext)

  it.prop("generated runs are runs", [runContexts], ([generated]) => {
    assert.isTrue(isRun(generated))
  })

  it("names and commit are there, an attempt is a whole number", () => {
    const faults = [
      { pipelineName: "" },
      { jobName: "" },
      { commit: "" },
      { runId: "" },
      { runAttempt: 1.5 },
      { branch: "" }
    ]
    for (const fault of faults) assert.isFalse(isRun({ ...run, ...fault }), JSON.stringify(fault))
  })

  it("a pull request is whole or null", () => {
    const pull = { id: 1, number: 2, title: "t", user: { id: 3, login: "l" } }
    assert.isTrue(isRun({ ...run, pullRequest: pull }))
    assert.isFalse(isRun({ ...run, pullRequest: { ...pull, user: { id: 3 } } }))
    assert.isFalse(isRun({ ...run, pullRequest: { id: 1, number: 2, title: "t" } }))
  })
})
