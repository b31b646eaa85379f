/** Parsing and recording each upload format against the bare parser of its notation. */
import { Ctrf, Otlp, type ParseError, type Parsed } from "@lazaret/ingest"
import { Ingestion } from "@lazaret/services"
import { Effect, Result } from "effect"
import protobuf from "protobufjs"
import { withMemory } from "./memory.ts"
import type { Pairs } from "./Section.ts"

const cases = 50_000

/** Benchmarks of the formats other than JUnit XML, which has its own section. */
export const formats: Pairs = {
  name: "formats",
  pairs: () => {
    const ctrf = encoded({
      results: { tool: { name: "vitest" }, tests: Array.from({ length: cases }, (_, i) => test(i)) }
    })
    const json = encoded(request)
    const Request = protobuf.parse(proto).root.lookupType("Request")
    const binary = Request.encode(Request.fromObject(request)).finish()
    return [
      pair(
        "CTRF",
        "JSON.parse",
        () => JSON.parse(text(ctrf)),
        () => Result.map(Ctrf.parse(ctrf), (one) => [one])
      ),
      pair(
        "OTLP JSON",
        "JSON.parse",
        () => JSON.parse(text(json)),
        () => Otlp.parseJson(json)
      ),
      pair(
        "OTLP protobuf",
        "protobufjs",
        () => Request.decode(binary),
        () => Otlp.parseProtobuf(binary)
      )
    ]
  },
  note: ({ subject }) => `${(cases / subject).toFixed(0)} thousand cases/s`
}

const pair = (
  format: string,
  parser: string,
  reference: () => unknown,
  parse: () => Result.Result<ReadonlyArray<Parsed.Parsed>, ParseError.ParseError>
) => ({
  name: `${cases} cases of ${format} parsed and recorded in a new memory store, against ${parser}`,
  rounds: 7,
  reference,
  subject: () => withMemory(recorded(Result.getOrThrow(parse())))
})

const recorded = (reports: ReadonlyArray<Parsed.Parsed>) =>
  Effect.gen(function* () {
    const ingestion = yield* Ingestion
    let count = 0
    for (const report of reports) {
      const upload = { idempotencyKey: null, digest: "d", finishedAt: null, run, cases: report.cases, warnings: [] }
      count += (yield* ingestion.record({ owner: "acme", repository: "widgets" }, upload)).recorded
    }
    return count
  })

const encoded = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const name = (index: number): string => `src/area ${index % 500}/case.test.ts > keeps law ${index}`

const test = (index: number) => ({
  name: name(index),
  status: index % 100 === 0 ? "failed" : "passed",
  duration: index % 900
})

const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } })

const span = (index: number) => ({
  name: name(index),
  startTimeUnixNano: "1779278400000000000",
  endTimeUnixNano: "1779278400120000000",
  attributes: [
    attribute("test.scope", "case"),
    attribute("test.case.result.status", index % 100 === 0 ? "failed" : "passed")
  ]
})

const request = {
  resourceSpans: [
    {
      resource: {
        attributes: [
          attribute("cicd.pipeline.name", "CI"),
          attribute("cicd.pipeline.task.name", "unit"),
          attribute("cicd.pipeline.run.id", "7"),
          attribute("vcs.ref.head.name", "main"),
          attribute("vcs.ref.head.revision", "c1")
        ]
      },
      scopeSpans: [{ spans: Array.from({ length: cases }, (_, index) => span(index)) }]
    }
  ]
}

/** The part of the OTLP messages that this request uses, with their numbers. */
const proto = `syntax = "proto3";
message AnyValue { string stringValue = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Span { string name = 5; fixed64 startTimeUnixNano = 7; fixed64 endTimeUnixNano = 8; repeated KeyValue attributes = 9; }
message ScopeSpans { repeated Span spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scopeSpans = 2; }
message Request { repeated ResourceSpans resourceSpans = 1; }`

const run = {
  pipelineName: "CI",
  jobName: "unit",
  branch: "main",
  baseBranch: null,
  commit: "c1",
  runId: "7",
  runAttempt: 1,
  jobUrl: null,
  framework: null,
  frameworkVersion: null,
  language: null,
  pullRequest: null,
  pullNumber: null
}
