import { readFileSync } from "node:fs"
import { constants, deflateRawSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { ByteSize } from "effect"
import { type Call, junit, repository, serve } from "../wire.ts"

const context = "pipeline_name=CI&job_name=unit&commit=abc"

const small = { sent: ByteSize.kibibytes(10), unpacked: ByteSize.kibibytes(100), memory: ByteSize.mebibytes(640) }

const xml = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Call => ({
  method: "POST",
  headers: { "content-type": "application/xml", ...headers },
  body
})

const packed = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(text))

const many = (count: number): string =>
  junit(Object.fromEntries(Array.from({ length: count }, (_, index) => [`test ${index}`, "passed"] as const)))

const json = (body: object): Call => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

const run = { "cicd.pipeline.name": "CI", "cicd.pipeline.task.name": "unit", "vcs.ref.head.revision": "abc" }

const attributes = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }))

const otlp = (resource: Record<string, string> = run) => ({
  resourceSpans: [
    {
      resource: { attributes: attributes(resource) },
      scopeSpans: [
        {
          spans: [
            {
              name: "cart > adds",
              startTimeUnixNano: "1782810000000000000",
              endTimeUnixNano: "1782810000005000000",
              attributes: attributes({ "test.scope": "case", "test.case.result.status": "passed" })
            }
          ]
        }
      ]
    }
  ]
})

const problem = async (answer: Response) => ({ status: answer.status, ...JSON.parse(await answer.text()) })

describe("uploads", () => {
  it("the checkout of the client is taken off names, and two checkouts give one test", async () => {
    await using server = await serve()
    for (const folder of ["/ci/app_PR-1", "/ci/app_PR-2"]) {
      const body = `<testsuites><testsuite name="s"><testcase name="adds" file="${folder}/a.test.js"/></testsuite></testsuites>`
      const path = `${repository}/reports?${context}&run_id=${folder.length}&checkout=${encodeURIComponent(folder)}`
      const answer = await server.send(path, xml(body))
      assert.deepInclude(await answer.json(), { warnings: [] })
    }
    const { tests } = JSON.parse(await (await server.send(`${repository}/tests`, {})).text())
    assert.deepStrictEqual(
      tests.map((each: { readonly test_name: string }) => each.test_name),
      ["a.test.js › adds"]
    )
  })

  it("a report of a fork with more new tests than forks may add in a day is refused as a whole", async () => {
    await using server = await serve()
    const fork = `${repository}/reports?${context}&branch=ada:topic`
    assert.strictEqual((await server.send(`${repository}/reports?${context}`, xml(many(2)))).status, 201)
    const refused = await problem(await server.send(fork, xml(many(20_003))))
    assert.strictEqual(refused.status, 422)
    const [fault] = refused.errors
    assert.include(
      fault.message,
      "runs of forks may add 20000 tests to a repository in a day (UTC). Nothing was stored"
    )
    const runs = JSON.parse(await (await server.send(`${repository}/commits/abc/failures`, {})).text())
    assert.deepStrictEqual(runs.fork_runs, [])
    assert.strictEqual((await server.send(fork, xml(many(20_002)))).status, 201)
    assert.strictEqual((await server.send(`${fork}x`, xml(many(20_003)))).status, 422)
  })

  it("a given end of the run that is far from the times of the report is answered with a warning", async () => {
    await using server = await serve()
    const body = `<testsuite name="s"><testcase name="adds" timestamp="2026-01-31T12:00:00Z"/></testsuite>`
    const upload = async (at: string) => {
      const answer = await server.send(`${repository}/reports?${context}&run_id=${at}&finished_at=${at}`, xml(body))
      return JSON.parse(await answer.text()).warnings
    }
    assert.deepStrictEqual(await upload("2026-01-31T12:30:00Z"), [])
    assert.deepStrictEqual(await upload("2026-01-20T12:00:00Z"), [
      "`finished_at` is 2026-01-20T12:00:00.000Z, but 1 test case keeps its own time of the report, the last 2026-01-31T12:00:00.000Z."
    ])
  })

  it("a report is taken once, however often and however it is sent", async () => {
    await using server = await serve()
    const body = junit({ a: "passed", b: "failed" })
    const send = async (call: Call, query = context) => {
      const answer = await server.send(`${repository}/reports?${query}`, call)
      return [answer.status, JSON.parse(await answer.text())]
    }
    const [status, first] = await send(xml(body))
    assert.strictEqual(status, 201)
    assert.deepStrictEqual(
      { ...first, report_id: "" },
      {
        report_id: "",
        executions: { received: 2, recorded: 2, duplicates: 0, skipped: 0 },
        identities: 2,
        warnings: []
      }
    )
    const again = { ...first, executions: { received: 2, recorded: 0, duplicates: 2, skipped: 0 } }
    assert.deepStrictEqual(await send(xml(body)), [201, again])
    for (const encoding of ["gzip", "X-GZip"]) {
      assert.deepStrictEqual(await send(xml(packed(body), { "content-encoding": encoding })), [201, again])
    }
    assert.deepStrictEqual(await send(xml(body, { "content-type": "text/xml; charset=utf-8" })), [201, again])
  })

  it("an idempotency key that was used for other content is a conflict", async () => {
    await using server = await serve()
    const send = (body: string) => server.send(`${repository}/reports?${context}&idempotency_key=k`, xml(body))
    assert.strictEqual((await send(junit({ a: "passed" }))).status, 201)
    assert.strictEqual((await send(junit({ a: "failed" }))).status, 409)
    assert.strictEqual((await send(junit({ a: "passed" }))).status, 201)
  })

  it("what is not JUnit XML is refused, and nothing is stored", async () => {
    await using server = await serve()
    for (const body of ["", "x", "{}", "<html/>", "<testsuite><testcase name='a'/>", `<testsuite name="a & b"/>`]) {
      const { errors, status } = await problem(await server.send(`${repository}/reports?${context}`, xml(body)))
      assert.strictEqual(status, 422, body)
      assert.strictEqual(errors[0].location, "body")
    }
    assert.strictEqual((await server.send(`${repository}/search/tests`)).status, 404)
  })

  it("the context is checked before the body is read", async () => {
    await using server = await serve()
    const query = "pipeline_name=&run_attempt=-1&finished_at=now&pull_request={}&job_url="
    const { errors } = await problem(await server.send(`${repository}/reports?${query}`, xml("x")))
    const locations: ReadonlyArray<string> = errors.map((fault: { readonly location: string }) => fault.location)
    assert.sameMembers(
      [...new Set(locations)].map((location) => location.replace("query.", "")),
      ["pipeline_name", "job_name", "commit", "run_attempt", "finished_at", "pull_request", "job_url"]
    )
  })

  it("a link to the job is followed by people: only http and https are taken, without control characters", async () => {
    await using server = await serve()
    const status = async (url: string) => {
      const query = `${context}&job_url=${encodeURIComponent(url)}`
      return (await server.send(`${repository}/reports?${query}`, xml(junit({ a: "passed" })))).status
    }
    for (const url of ["javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", "ftp://a", "http://a\r\nb", "//a"]) {
      assert.strictEqual(await status(url), 422, url)
    }
    for (const url of ["https://ci.example.com/1", "HTTP://ci/a b"]) assert.strictEqual(await status(url), 201, url)
  })

  it("a pull request that is only a number is found by it", async () => {
    await using server = await serve()
    const send = (number: string) =>
      server.send(`${repository}/reports?${context}&pull_request=${number}`, xml(junit({ a: "failed" })))
    assert.deepStrictEqual(JSON.parse(await (await send("12")).text()).warnings, [])
    assert.strictEqual((await server.json(`${repository}/pulls/12/failures`)).total, 1)
    for (const number of ["-1", "1.5", "9007199254740992", "12a"]) {
      assert.strictEqual((await send(number)).status, 422, number)
    }
  })

  it("an upload of a branch that is not shown is warned about until the default branch is known", async () => {
    await using server = await serve()
    const warningsOf = async (commit: string, branch: string): Promise<ReadonlyArray<string>> => {
      const query = `pipeline_name=CI&job_name=unit&commit=${commit}&branch=${branch}`
      const answer = await server.send(`${repository}/reports?${query}`, xml(junit({ a: "passed" })))
      return JSON.parse(await answer.text()).warnings
    }
    assert.match((await warningsOf("a", "develop"))[0] ?? "", /"develop".*`lazaret repo set default_branch=develop`/u)
    assert.deepStrictEqual(await warningsOf("b", "develop&base_branch=main"), [])
    assert.deepStrictEqual(await warningsOf("c", "lazaret/queue/main/1"), [])
    assert.deepStrictEqual(await warningsOf("d", "main"), [])
    assert.deepStrictEqual(await warningsOf("e", "develop"), [])
  })

  it("a run of a pull request never counts as the default branch", async () => {
    await using server = await serve()
    await server.send(`${repository}/reports?${context}&branch=main&base_branch=main`, xml(junit({ a: "passed" })))
    assert.strictEqual((await server.json(`${repository}/search/tests`)).total, 0)
  })

  const goTest =
    `{"Action":"run","Package":"p","Test":"T"}\n{"Action":"fail","Package":"p","Test":"T"}\n` +
    `{"Action":"fail","Package":"p"}\n`

  it.each([
    ["JUnit XML", junit({ a: "failed" }), "a"],
    ["TRX", `<TestRun><Results><UnitTestResult testName="a" outcome="Failed"/></Results></TestRun>`, "a"],
    ["CTRF", `{"results":{"tests":[{"name":"a","status":"failed"}]}}`, "a"],
    ["Jest", `{"testResults":[{"name":"f.js","assertionResults":[{"title":"a","status":"failed"}]}]}`, "f.js › a"],
    ["Playwright", `{"config":{},"errors":[{"message":"no"}],"suites":[]}`, "test run"],
    ["go test -json", goTest, "p.T"]
  ])("%s is recognised by its content, whatever generic type the client sends", async (_, body, name) => {
    for (const type of [undefined, "application/octet-stream", "text/plain", "application/x-www-form-urlencoded"]) {
      await using server = await serve()
      const headers: Record<string, string> = type === undefined ? {} : { "content-type": type }
      const bytes = new TextEncoder().encode(body)
      const answer = await server.send(`${repository}/reports?${context}`, { method: "POST", headers, body: bytes })
      assert.strictEqual(answer.status, 201, `${type}`)
      const { tests } = await server.json(`${repository}/search/tests`)
      assert.deepStrictEqual(
        tests.map((each: { readonly test_name: string }) => each.test_name),
        [name]
      )
    }
  })

  it("a wrong type is answered with the right ones, a form with how to send a file", async () => {
    await using server = await serve()
    const detail = async (type: string) => {
      const answer = await server.send(`${repository}/reports?${context}`, xml("x", { "content-type": type }))
      return (await problem(answer)).detail
    }
    assert.match(await detail("image/png"), /`image\/png`.*`application\/xml` \(JUnit XML, TRX\).*`application\/json`/)
    assert.match(await detail("multipart/form-data; boundary=x"), /--data-binary @report\.xml` instead of `-F`/)
  })

  it("a known format that is not read is 422 and names the switch that writes a readable one", async () => {
    await using server = await serve()
    const answer = await server.send(`${repository}/reports?${context}`, xml(`<test-run id="2"/>`))
    const { errors, status } = await problem(answer)
    assert.strictEqual(status, 422)
    assert.match(errors[0].message, /NUnit 3.*dotnet test --logger trx/)
  })

  it("a body of another type or encoding is 415", async () => {
    await using server = await serve()
    for (const headers of [
      { "content-type": "text/html" },
      { "content-encoding": "br" },
      { "content-encoding": "gzip, gzip" }
    ]) {
      const answer = await server.send(`${repository}/reports?${context}`, xml(junit({ a: "passed" }), headers))
      assert.strictEqual(answer.status, 415)
    }
  })

  it("gzip of several members is read to its end", async () => {
    await using server = await serve()
    const body = junit({ a: "passed", b: "failed" })
    const members = Buffer.concat([body.slice(0, 40), body.slice(40, 41), body.slice(41)].map(packed))
    const call = xml(new Uint8Array(members), { "content-encoding": "gzip" })
    const answer = await server.send(`${repository}/reports?${context}`, call)
    assert.strictEqual(answer.status, 201)
    assert.strictEqual(JSON.parse(await answer.text()).executions.recorded, 2)
  })

  it("a receipt shows that attempts became one execution: more is received than recorded", async () => {
    await using server = await serve()
    const attempts = ["<failure/>", "<failure/>", ""].map(
      (each) => `<testcase classname="p" name="TestA">${each}</testcase>`
    )
    const properties = '<properties><property name="go.version" value="go1.24"/></properties>'
    const body = `<testsuite name="p">${properties}${attempts.join("")}<testcase/><testcase classname="p" name="TestB"/></testsuite>`
    const answer = await server.send(`${repository}/reports?${context}`, xml(body))
    assert.deepStrictEqual(JSON.parse(await answer.text()).executions, {
      received: 5,
      recorded: 2,
      duplicates: 0,
      skipped: 0
    })
  })

  it("bytes that are no gzip, or cut off, are refused", async () => {
    await using server = await serve()
    const whole = packed(many(100))
    for (const body of [new Uint8Array([1, 2, 3]), whole.slice(0, -12), whole.slice(0, 40)]) {
      const answer = await server.send(`${repository}/reports?${context}`, xml(body, { "content-encoding": "gzip" }))
      assert.strictEqual(answer.status, 422)
    }
  })

  it("more bytes than the limit are 413, as sent and as unpacked", async () => {
    await using server = await serve({ config: { upload: small } })
    const url = `${repository}/reports?${context}`
    const large = many(1000)
    assert.isAbove(large.length, 10_240)
    assert.strictEqual((await server.send(url, xml(large))).status, 413)
    assert.strictEqual((await server.send(url, xml(packed(large), { "content-encoding": "gzip" }))).status, 201)
    const bomb = packed(`<testsuite>${" ".repeat(5_000_000)}</testsuite>`)
    assert.isBelow(bomb.length, 10_240)
    const answer = await server.send(url, xml(bomb, { "content-encoding": "gzip" }))
    assert.strictEqual(answer.status, 413)
    assert.include((await problem(answer)).detail, "102400")
  })

  it("a bomb is refused while it is read, not after: this one never ends", async () => {
    await using server = await serve({ config: { upload: { ...small, sent: ByteSize.mebibytes(1) } } })
    const header = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
    const blanks = new Uint8Array(deflateRawSync(" ".repeat(1_000_000), { finishFlush: constants.Z_FULL_FLUSH }))
    let pulled = 0
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => {
        controller.enqueue(pulled === 0 ? header : blanks)
        pulled += 1
      }
    })
    const call = { ...xml("", { "content-encoding": "gzip" }), stream }
    const answer = await server.send(`${repository}/reports?${context}`, call)
    assert.include((await problem(answer)).detail, "102400")
    assert.isBelow(pulled, 300)
  })

  it("other requests are answered while a large report is read", async () => {
    await using server = await serve()
    const order: Array<string> = []
    const note = (what: string) => () => void order.push(what)
    const uploading = server.send(`${repository}/reports?${context}`, xml(many(20_000))).then(note("upload"))
    await Promise.all([uploading, server.send("/health/live").then(note("probe"))])
    assert.deepStrictEqual(order, ["probe", "upload"])
  })

  it("CTRF is taken, and fills what the query leaves open", async () => {
    await using server = await serve()
    const ctrf = {
      results: {
        tool: { name: "jest" },
        summary: { tests: 2 },
        tests: [
          { name: "adds", suite: "cart", status: "passed", duration: 5 },
          { name: "pays", suite: "cart", status: "failed", duration: 5, message: "no" }
        ],
        environment: { branchName: "main", buildUrl: "https://ci.example.com/1", commit: "not this one" }
      }
    }
    const answer = await server.send(`${repository}/reports?${context}`, json(ctrf))
    assert.deepStrictEqual([answer.status, JSON.parse(await answer.text()).executions.recorded], [201, 2])
    const { tests } = await server.json(`${repository}/search/tests?health_status=broken`)
    const details = await server.json(`${repository}/tests/${tests[0].test_id}`)
    assert.deepInclude(details, { test_name: "cart › pays", test_framework: "jest", first_failure_commit: "abc" })
    assert.strictEqual((await server.send(`${repository}/reports?${context}`, json({ results: {} }))).status, 422)
  })

  it("test spans are taken as JSON and protobuf, on both paths, and answered in kind", async () => {
    await using server = await serve()
    const paths = [`${repository}/traces`, "/v1/repos/acme/widgets/ci/traces"]
    const first = await server.send(paths[0] ?? "", json(otlp()))
    assert.strictEqual(first.status, 201)
    const { executions, report_id, reports } = JSON.parse(await first.text())
    assert.deepStrictEqual([report_id, executions], [reports[0].report_id, reports[0].executions])
    assert.deepStrictEqual(reports[0].executions, { received: 1, recorded: 1, duplicates: 0, skipped: 0 })
    const again = JSON.parse(await (await server.send(paths[1] ?? "", json(otlp()))).text())
    assert.deepStrictEqual(again.reports[0].executions.duplicates, 1)
    assert.strictEqual(again.reports[0].report_id, reports[0].report_id)
    const bytes = new Uint8Array(
      readFileSync(new URL("../../../ingest/test/fixtures/opentelemetry-js/request.binpb", import.meta.url))
    )
    for (const path of paths) {
      const answer = await server.send(path, {
        method: "POST",
        headers: { "content-type": "application/x-protobuf" },
        body: bytes
      })
      assert.deepStrictEqual(
        [answer.status, answer.headers.get("content-type"), await answer.text()],
        [201, "application/x-protobuf", ""]
      )
    }
    assert.isAbove((await server.json(`${repository}/search/tests`)).total, 0)
  })

  it("a request without test cases is accepted, and one that names no run is refused with what is missing", async () => {
    await using server = await serve()
    assert.deepStrictEqual(JSON.parse(await (await server.send(`${repository}/traces`, json({}))).text()), {
      report_id: null,
      executions: { received: 0, recorded: 0, duplicates: 0, skipped: 0 },
      identities: 0,
      warnings: [],
      reports: []
    })
    const { errors, status } = await problem(await server.send(`${repository}/traces`, json(otlp({}))))
    assert.strictEqual(status, 422)
    assert.deepStrictEqual(
      errors.map((fault: { readonly location: string }) => fault.location),
      ["body.resource.cicd.pipeline.name", "body.resource.vcs.ref.head.revision"]
    )
    const some = await server.send(
      `${repository}/traces`,
      json(otlp({ "cicd.pipeline.task.name": "unit", "cicd.pipeline.run.id": "7" }))
    )
    assert.lengthOf(JSON.parse(await some.text()).reports[0].warnings, 2)
    assert.strictEqual((await server.json(`${repository}/search/tests`)).tests[0].pipeline_name, "unit")
  })
})
