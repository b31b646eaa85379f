import { Otlp, type ParseError, type Parsed } from "@lazaret/ingest"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import * as otlp from "../writers/otlp.ts"

const fixture = (name: string) => readFileSync(new URL(`../fixtures/opentelemetry-js/${name}`, import.meta.url))

type Values = Parameters<typeof otlp.bare>[0]

/** The reports of a request, which are the same in both encodings. */
const parse = (request: Readonly<Record<string, unknown>>): ReadonlyArray<Parsed.Parsed> => {
  const ofJson = Result.getOrThrow(Otlp.parseJson(JSON.stringify(request)))
  assert.deepStrictEqual(Result.getOrThrow(Otlp.parseProtobuf(otlp.encode(request))), ofJson)
  return ofJson
}

const only = <A>(items: ReadonlyArray<A> | undefined): A => {
  const [first, ...rest] = items ?? []
  assert.isDefined(first)
  assert.deepStrictEqual(rest, [])
  return first
}

const one = (span: Values, resource: Values = {}, scope?: string) =>
  only(only(parse(otlp.bare(resource, [span], scope))).cases)

const context = (resource: Values, span: Values = {}) => only(parse(otlp.bare(resource, [span]))).context

describe("Otlp, a request of the OpenTelemetry SDK", () => {
  const reports = Result.getOrThrow(Otlp.parseProtobuf(fixture("request.binpb")))

  it("both encodings say the same", () => {
    assert.deepStrictEqual(Result.getOrThrow(Otlp.parseJson(fixture("request.json"))), reports)
  })

  it("the cases of each job run are one report, and only cases count", () => {
    assert.deepStrictEqual(
      reports.map(({ cases, context: run }) => [run.jobName, run.runAttempt, cases.map((each) => each.testName)]),
      [
        [
          "unit",
          2,
          [
            "cart > adds",
            "cart > rounds",
            "cart > later",
            "cart > retried",
            "cart > quarantined",
            "cart > new",
            "cart > found flaky",
            "cart > named elsewhere",
            "throws"
          ]
        ],
        ["unit (node 24)", 3, ["other run"]]
      ]
    )
  })

  it("the run is what its resource says", () => {
    assert.deepStrictEqual(reports[0]?.context, {
      pipelineName: "CI",
      jobName: "unit",
      branch: "main",
      commit: "3f786850e387550fdab836ed7e6dc881de23001b",
      runId: "14785236901",
      runAttempt: 2,
      jobUrl: "https://github.com/acme/shop/actions/runs/14785236901/attempts/2",
      framework: "vitest",
      frameworkVersion: "4.0.5",
      language: "nodejs"
    })
    assert.strictEqual(reports[0]?.finishedAt, Date.UTC(2026, 2, 4, 10, 15, 30, 98))
  })

  it("a case has the end, length and place of its span", () => {
    assert.deepStrictEqual(reports[0]?.cases[0], {
      testName: "cart > adds",
      at: Date.UTC(2026, 2, 4, 10, 15, 30, 32),
      durationMs: 12.345,
      conclusion: "passed",
      flaky: false,
      reruns: 0,
      exception: null,
      filepath: "src/cart.test.ts",
      functionName: "adds"
    })
  })

  it("a failure without attributes of its own has those of the exception event", () => {
    assert.deepStrictEqual(reports[0]?.cases.at(-1)?.exception, {
      type: "TypeError",
      message: "x is not a function",
      stacktrace: "TypeError: x is not a function\n    at src/cart.test.ts:40:3"
    })
  })
})

describe("Otlp, cases", () => {
  it("a span is a case by its scope, or without one by the attributes of a case", () => {
    const request = otlp.bare({}, [
      { name: "case" },
      { name: "session", "test.scope": "session" },
      { name: "by status", "test.scope": "" },
      { name: "job", "test.scope": "", "test.case.result.status": "" }
    ])
    const bareSpan = JSON.stringify(request).replaceAll(`{"key":"test.scope","value":{"stringValue":""}},`, "")
    const names = Result.getOrThrow(Otlp.parseJson(bareSpan)).flatMap(({ cases }) => cases.map((each) => each.testName))
    assert.deepStrictEqual(names, ["case", "by status", "job"])
    assert.deepStrictEqual(parse(otlp.bare({}, [{ "test.scope": "session" }])), [])
    assert.deepStrictEqual(parse({}), [])
  })

  it("the span's name is the test's, unless it lacks the name of the case", () => {
    assert.strictEqual(one({ name: "Suite > test", "test.case.name": "test" }).testName, "Suite > test")
    assert.strictEqual(one({ name: "test run", "test.case.name": "a.py::test" }).testName, "a.py::test")
    assert.strictEqual(one({ name: "", "test.case.name": "test" }).testName, "test")
  })

  it("a status is understood in the words of both conventions, or taken from the span", () => {
    const conclusion = (status: string) => one({ "test.case.result.status": status }).conclusion
    assert.deepStrictEqual(
      ["passed", "pass", "failed", "fail", "error", "skipped", "skip", "Passed", ""].map(conclusion),
      ["passed", "passed", "failed", "failed", "failed", "skipped", "skipped", "passed", "passed"]
    )
  })

  it("a pass behind a quarantine is a failure without an exception", () => {
    const absorbed = one({ "cicd.test.quarantined": true, "exception.type": "E", "cicd.test.retry_count": 1 })
    assert.deepStrictEqual([absorbed.conclusion, absorbed.exception, absorbed.flaky], ["failed", null, false])
    const failed = one({ "test.case.result.status": "failed", "cicd.test.quarantined": true, "exception.type": "E" })
    assert.deepStrictEqual(failed.exception, { type: "E", message: null, stacktrace: null })
    assert.strictEqual(one({ "cicd.test.quarantined": false }).conclusion, "passed")
    assert.strictEqual(
      one({ "test.case.result.status": "skipped", "cicd.test.quarantined": true }).conclusion,
      "skipped"
    )
  })

  it("a pass after a retry or one that says so is flaky, reruns in search of flakiness are no sign", () => {
    const flakiness = (span: Values) => [one(span).flaky, one(span).reruns]
    assert.deepStrictEqual(flakiness({ "cicd.test.retry_count": 2 }), [true, 2])
    assert.deepStrictEqual(flakiness({ "cicd.test.retry_count": "2" }), [true, 2])
    assert.deepStrictEqual(flakiness({ "cicd.test.flaky": true, "cicd.test.rerun_count": 5 }), [true, 5])
    assert.deepStrictEqual(flakiness({ "cicd.test.flaky_detection": true, "cicd.test.rerun_count": 5 }), [false, 5])
    assert.deepStrictEqual(flakiness({ "cicd.test.retry_count": 2, "test.case.result.status": "failed" }), [false, 2])
    assert.deepStrictEqual(flakiness({ "cicd.test.retry_count": -1, "cicd.test.rerun_count": "many" }), [false, 0])
  })

  it("skipped cases take no time, and those of mergify-cli a tenth of what they say", () => {
    assert.strictEqual(one({}).durationMs, 50)
    assert.strictEqual(one({ "test.case.result.status": "skipped" }).durationMs, 0)
    const { at, durationMs } = one({}, {}, "mergify-cli")
    assert.deepStrictEqual([durationMs, at], [5, 1_700_000_000_005])
  })

  it("file and function come under two names each", () => {
    const place = (span: Values) => [one(span).filepath, one(span).functionName]
    assert.deepStrictEqual(place({ "code.filepath": "a.py", "code.function": "f" }), ["a.py", "f"])
    assert.deepStrictEqual(place({ "code.file.path": "/a.py", "code.function.name": "g" }), ["/a.py", "g"])
    assert.deepStrictEqual(place({ "code.filepath": "a.py", "code.file.path": "/a.py" }), ["a.py", null])
  })

  it("spans of one name are executions of their own, with the name as it was sent", () => {
    const spans = [{}, { "test.case.result.status": "failed" }, {}]
    const { cases } = only(parse(otlp.bare({}, spans)))
    assert.deepStrictEqual(
      cases.map(({ conclusion, flaky, testName }) => [testName, conclusion, flaky]),
      [
        ["t", "passed", false],
        ["t", "failed", false],
        ["t", "passed", false]
      ]
    )
  })

  it("spans that number their retries are attempts of one execution, which keeps the text of the first failure", () => {
    const failed = { "test.case.result.status": "failed", "exception.message": "first" }
    const spans = [failed, { ...failed, "cicd.test.retry_count": 1 }, { "cicd.test.retry_count": 2 }]
    const { cases } = only(parse(otlp.bare({}, spans)))
    assert.deepStrictEqual(
      cases.map(({ conclusion, exception, flaky, reruns }) => [conclusion, flaky, reruns, exception?.message]),
      [["passed", true, 2, "first"]]
    )
  })

  it("a character that no store can keep is replaced, in a name and in a message", () => {
    const span = { name: "a\0", "test.case.result.status": "failed", "exception.message": "\ud800" }
    const reports = Result.getOrThrow(Otlp.parseJson(JSON.stringify(otlp.bare({}, [span]))))
    const [first] = only(reports).cases
    assert.deepStrictEqual([first?.testName, first?.exception?.message], ["a\ufffd", "\ufffd"])
  })

  it("a report says whether two of its spans have the same name", () => {
    const named = (...names: ReadonlyArray<string>) =>
      only(
        parse(
          otlp.bare(
            {},
            names.map((name) => ({ name, "test.case.result.status": "pass" }))
          )
        )
      ).hasDistinctNames
    assert.deepStrictEqual([named("a", "b"), named("a", "b", "a")], [true, false])
  })

  it("a failed span without a name is kept, any other is counted", () => {
    const spans = [{ name: " " }, { name: "", "test.case.result.status": "failed" }]
    const { cases, skippedCount } = only(parse(otlp.bare({}, spans)))
    assert.deepStrictEqual([cases.map(({ conclusion }) => conclusion), skippedCount], [["failed"], 1])
  })
})

describe("Otlp, runs", () => {
  it("an attribute of the span overrides that of its resource, also when it is blank", () => {
    assert.deepStrictEqual(context({ "vcs.ref.head.name": "main" }, { "vcs.ref.head.name": "topic" }), {
      branch: "topic"
    })
    assert.deepStrictEqual(context({ "vcs.ref.base.name": "main" }, { "vcs.ref.base.name": "" }), {})
  })

  it("a base branch makes a pull request, an empty base branch does not", () => {
    assert.deepStrictEqual(context({ "vcs.ref.base.name": "" }), {})
    assert.deepStrictEqual(context({ "vcs.ref.base.name": "main" }), { baseBranch: "main" })
  })

  it("the job name of the test wins over that of the pipeline", () => {
    assert.deepStrictEqual(context({ "cicd.pipeline.task.name": "a" }), { jobName: "a" })
    assert.deepStrictEqual(context({ "cicd.pipeline.task.name": "a", "mergify.test.job.name": "b" }), { jobName: "b" })
  })

  it("the id of a run is a number or a text", () => {
    assert.deepStrictEqual(context({ "cicd.pipeline.run.id": 9_007_199_254_740_991 }), { runId: "9007199254740991" })
    assert.deepStrictEqual(context({ "cicd.pipeline.run.id": "a-1", "test.run.id": "b" }), { runId: "a-1" })
    assert.deepStrictEqual(context({ "test.run.id": "b" }), { runId: "b" })
    assert.deepStrictEqual(context({ "cicd.pipeline.run.attempt": "3" }), { runAttempt: 3 })
    assert.deepStrictEqual(context({ "cicd.pipeline.run.attempt": "third" }), {})
  })

  it("the page of a run is the reported one, or is derived for GitHub", () => {
    const gitHub = { "cicd.provider.name": "github_actions", "vcs.repository.url.full": "https://github.com/o/r.git/" }
    const url = (resource: Values) => context(resource).jobUrl
    assert.strictEqual(
      url({ "cicd.pipeline.run.url.full": "https://a", "cicd.pipeline.run.url": "https://b" }),
      "https://a"
    )
    assert.strictEqual(url({ "cicd.pipeline.run.url": "https://b" }), "https://b")
    assert.strictEqual(url({ ...gitHub, "cicd.pipeline.run.id": 7 }), "https://github.com/o/r/actions/runs/7")
    assert.strictEqual(
      url({ ...gitHub, "cicd.pipeline.run.id": "7", "cicd.pipeline.run.attempt": 2 }),
      "https://github.com/o/r/actions/runs/7/attempts/2"
    )
    const slashes = { "vcs.repository.url.full": `https://${"/".repeat(300_000)}x`, "cicd.pipeline.run.id": 7 }
    assert.isUndefined(url({ ...gitHub, ...slashes }))
    assert.isUndefined(url(gitHub))
    assert.isUndefined(url({ ...gitHub, "cicd.provider.name": "jenkins", "cicd.pipeline.run.id": 7 }))
  })

  it("the language of the tests wins over that of the SDK", () => {
    assert.deepStrictEqual(context({ "telemetry.sdk.language": "python" }), { language: "python" })
    assert.deepStrictEqual(context({ "telemetry.sdk.language": "python", "test.language": "java" }), {
      language: "java"
    })
  })

  it("pipeline, job, run, attempt, branch and commit make a report of their own, framework and language do not", () => {
    const spans = (key: string, a: string, b: string) => parse(otlp.bare({}, [{ [key]: a }, { [key]: b, name: "u" }]))
    for (const key of ["cicd.pipeline.name", "cicd.pipeline.task.name", "cicd.pipeline.run.id", "vcs.ref.head.name"]) {
      assert.strictEqual(spans(key, "a", "b").length, 2)
      assert.strictEqual(spans(key, "a", "a").length, 1)
    }
    assert.strictEqual(spans("cicd.pipeline.run.attempt", "1", "2").length, 2)
    assert.strictEqual(spans("vcs.ref.head.revision", "1", "2").length, 2)
    assert.strictEqual(spans("test.framework", "a", "b").length, 1)
  })
})

describe("Otlp, JSON", () => {
  it("snake case, numbers as numbers and names of enumerations are read, too", () => {
    const json = {
      resource_spans: [
        {
          resource: { attributes: [{ key: "cicd.pipeline.run.id", value: { int_value: 5 } }] },
          scope_spans: [
            {
              spans: [
                {
                  name: "t",
                  traceId: "not hex",
                  start_time_unix_nano: 1_700_000_000_000_000_000,
                  end_time_unix_nano: "1700000000001000000",
                  status: { code: "STATUS_CODE_ERROR", message: "broken" },
                  attributes: [{ key: "test.scope", value: { string_value: "case" } }, { key: "unset" }, null, 3],
                  somethingNew: {}
                }
              ]
            }
          ]
        }
      ]
    }
    const { cases, context: run } = only(Result.getOrThrow(Otlp.parseJson(JSON.stringify(json))))
    assert.deepStrictEqual(run, { runId: "5" })
    assert.deepStrictEqual(
      cases.map((each) => [each.conclusion, each.durationMs, each.exception?.message]),
      [["failed", 1, "broken"]]
    )
  })
})

describe("Otlp, refusals", () => {
  const limits = { spans: 2, cases: 1, spanBytes: 200 }
  const said = (result: Result.Result<unknown, ParseError.ParseError>) => {
    const { message, reason } = Result.getOrThrow(Result.flip(result))
    return `${reason}: ${message}`
  }
  const json = (text: string) => said(Otlp.parseJson(text, { limits }))
  const protobuf = (bytes: Uint8Array) => said(Otlp.parseProtobuf(bytes, { limits }))

  it("a body that is not a request is refused", () => {
    assert.match(json("[]"), /^unsupported: .*is not an object/)
    assert.match(json("3"), /^unsupported: .*is not an object/)
    assert.match(json(`{"results":{}}`), /^unsupported: .*has no resourceSpans/)
    assert.match(json(`{"resourceSpans":{}}`), /^unsupported: .*resourceSpans that is not a list/)
    assert.match(json(`{"resourceSpans":[{"scopeSpans":[3]}]}`), /^unsupported: .*scopeSpans that is not an object/)
    assert.match(json("{"), /^malformed: The JSON is cut off/)
    for (const bytes of [
      fixture("request.binpb").subarray(0, -3),
      fixture("request.json"),
      new Uint8Array(9).fill(0xff)
    ]) {
      assert.match(said(Otlp.parseProtobuf(bytes)), /^malformed: The body is not an OTLP/)
    }
  })

  it("an OTLP body over a limit is refused", () => {
    const spans = (count: number, values: Values) => otlp.bare({}, Array(count).fill(values))
    for (const [request, message] of [
      [spans(2, {}), /^too_large: .*more than 1 test cases/],
      [spans(3, { "test.scope": "suite" }), /^too_large: .*more than 2 spans/]
    ] as const) {
      assert.match(json(JSON.stringify(request)), message)
      assert.match(protobuf(otlp.encode(request)), message)
    }
    assert.match(
      protobuf(otlp.encode(spans(1, { name: "n".repeat(200) }))),
      /^too_large: A span or a resource is larger/
    )
    assert.match(protobuf(otlp.encode(otlp.bare({ a: "a".repeat(200) }, []))), /^too_large: A span or a resource/)
  })
})
