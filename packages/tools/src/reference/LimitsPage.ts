/** The page on limits, with the numbers that are in force. */
import { Api, BodyLimit, Schemas } from "@lazaret/api"
import { Failure, Report, TestAlias, TestFilter } from "@lazaret/domain"
import { HttpConfig, HttpLimits } from "@lazaret/http"
import { Archive, JsonDepth, Limits } from "@lazaret/ingest"
import { artifactLimits } from "@lazaret/services"
import { ByteSize, Context } from "effect"
import * as Markdown from "./Markdown.ts"

/** Builds the page; the limits of parameters and bodies are those of the OpenAPI document. */
export const make = (document: unknown): string =>
  Markdown.page([
    "# Limits",
    Markdown.generated,
    `A request that exceeds a limit is refused as a whole, with 413 or 422 and the limit in the message; the tables say where text is
cut instead. Nothing is ever stored in part.`,
    "## Requests",
    limits([
      ["URL and headers together", `${size(HttpLimits.maxHeaderSize)}, else 431`],
      ["body, except uploads", size(bytes(Context.get(Context.empty(), BodyLimit)))],
      ...ownBodies(),
      ["requests per minute", "none, or `LAZARET_RATE_LIMIT` ([configuration](configuration.md))"],
      ["steps of sign-ins per minute and address", `${HttpLimits.signInsPerMinute}, else 429`],
      ["requests that run when the server stops", "`LAZARET_SHUTDOWN_SECONDS`"],
      [
        "request id of the caller",
        `1 to ${HttpLimits.requestIdLength} letters, digits, \`.\`, \`_\`, \`-\`; else a new one is made`
      ]
    ]),
    rates,
    "## Uploads",
    limits(uploads(document)),
    "### Memory of uploads",
    memory(),
    "## Parameters and bodies",
    limits(contents(document)),
    "Characters are Unicode code points. Text with a NUL character is 422."
  ])

const rates = `With \`LAZARET_RATE_LIMIT\` each application key and each token of the hosting platform has this many requests per minute. The tokens of
CI jobs that may be those of forks share them, for each repository. They are given
back evenly over a minute, so after a quiet minute all of them may come at once. Requests without a valid credential share the limit of
their address; the addresses of an IPv6 /64 network are one. The first request with a key or token that this process does not know counts
for the address, and is given back if the credential is valid. So an address that has used up its requests cannot test further keys, not
even valid ones, and the platform is not asked. \`/health/*\` and \`/metrics\` are never limited. A refused request does not count, and has
\`Retry-After\`. Each server process counts separately. Behind a proxy, \`LAZARET_TRUSTED_PROXIES\` must name it; otherwise all callers
without a key share its address.`

/** The operations with a limit of their own for the body. */
const ownBodies = (): ReadonlyArray<Row> =>
  Object.values(Api.groups)
    .flatMap((group) => Object.values(group.endpoints))
    .flatMap(({ annotations, method, path }) => {
      const own = Context.getOrUndefined(annotations, BodyLimit)
      return own === undefined
        ? []
        : [[`body of ${Markdown.code(`${method} ${path.replaceAll(/:(\w+)/gu, "{$1}")}`)}`, size(bytes(own))]]
    })

const uploads = (document: unknown): ReadonlyArray<Row> => {
  const { sent, unpacked } = HttpConfig.defaultValue().upload
  const { archive } = HttpLimits
  const own = Archive.standard
  const { cases, depth, elements, jsonLength, nameLength, pathLength, refusedNameLength, spanBytes, spans, tagLength } =
    Limits.standard
  const { messageBytes, stacktraceBytes, typeLength, warnings } = Limits.standard
  const of = (name: string): string => count(numberAt(document, [...reports, name, "schema", "maxLength"]))
  return [
    ["body as sent", size(bytes(sent))],
    [
      "body when gzip is undone",
      `${size(bytes(unpacked))}; ${size(jsonLength)} of JSON (CTRF, Playwright, Jest, Vitest, OTLP/JSON)`
    ],
    [
      "zip archive, read by the command line",
      `${count(own.files)} files; ${size(own.reportBytes)} of unpacked reports; ${size(own.bytes)} unpacked in all`
    ],
    [
      "artifact that the server fetches",
      `${artifactLimits.artifacts} of a run; ${size(artifactLimits.bytes)} packed; ${count(archive.files)} files; ` +
        `${size(archive.reportBytes)} of unpacked reports; ${size(archive.bytes)} unpacked in all`
    ],
    ["test cases in one report, reruns included", count(cases)],
    ["aliases of tests of a repository", count(TestAlias.most)],
    ["tests that runs of forks add to a repository in a day (UTC)", count(Report.mostTestsOfForks)],
    ["spans in one OTLP body; size of a span or resource", `${count(spans)}; ${size(spanBytes)}`],
    ["levels of nesting in JSON", count(JsonDepth.mostLevels)],
    [
      "XML elements; nesting, of Playwright suites too; length of a tag, or of a line of `go test -json`",
      `${count(elements)}; ${count(depth)}; ${size(tagLength).replace("MiB", "Mi characters")}`
    ],
    [
      "test name",
      `${count(nameLength)} characters; a longer one is cut, and ends in an id of the whole name; refused from ${count(refusedNameLength)} on`
    ],
    [
      "exception type, message, stack trace",
      `${count(typeLength)} characters, ${size(messageBytes)}, ${size(stacktraceBytes)}; longer ones are cut`
    ],
    ["path of a test file", `${count(pathLength)} characters; longer ones are cut`],
    [
      "pipeline, job",
      `${of("pipeline_name")} characters; the filters \`test_name\`, \`pipeline_name\` and \`job_name\` take ${TestFilter.limits.characters}, ` +
        "so that a pattern finds a longer name and its exact text does not"
    ],
    ["branch, commit, run, framework …", `${of("branch")} characters`],
    ["job URL (`http://` or `https://`); idempotency key", `${of("job_url")}; ${of("idempotency_key")} characters`],
    ["warnings in an answer", `${warnings}; the rest is counted`]
  ]
}

const memory = (): string => {
  const { upload } = HttpConfig.defaultValue()
  const { largest, patience } = HttpLimits.uploads(upload)
  const { perCaller, shared } = HttpLimits.deliveries
  return `While an upload is read and recorded, it reserves memory: the bytes of the unpacked body (${HttpLimits.memoryFactors.json} times as many for JSON, which is read
as a whole; twice as many for the parts of XML and of \`go test -json\` with characters beyond Latin-1), and ${size(HttpLimits.caseBytes)} per test case. All uploads together may reserve \`LAZARET_UPLOAD_MEMORY\` (${size(bytes(upload.memory))}). ${wholeMebibytes(largest)} MiB of it are for one
large upload at a time; the rest is for all others, and at most half of the rest for one key. The memory that the headers announce is
reserved before the body is read. An upload waits for memory, and after ${patience} it gets 503 with \`Retry-After: ${HttpLimits.busySeconds}\`: nothing is
stored, and you can send the same request again. The server reads the rest of a refused body, up to ${size(bytes(upload.sent))} and
${HttpLimits.restSeconds} seconds, so that clients that send everything first can read the answer. The process needs about 300 MiB in addition.

Deliveries of GitHub are read only with a well-formed signature header, within ${HttpLimits.delivery.seconds} seconds, and use at most ${size(perCaller)} per address and ${size(shared)}
in total.`
}

const contents = (document: unknown): ReadonlyArray<Row> => {
  const schema = (name: string, ...path: ReadonlyArray<string>): string =>
    count(numberAt(document, ["components", "schemas", name, "properties", ...path]))
  const of = (name: string): string => count(numberAt(document, [...reports, name, "schema", "maxLength"]))
  const { maximum, minimum } = Schemas.Parameter.perPageRange
  return [
    [
      "owner; repository",
      `1 to ${of("owner")} letters, digits, \`-\`; 1 to ${of("repository")} letters, digits, \`_\`, \`-\`, \`.\``
    ],
    ["`per_page`", `${minimum} to ${maximum}`],
    ["values of one filter", count(TestFilter.limits.values)],
    [
      "quarantine: `test_name`; `reason`; `branch`",
      `${schema("CreateQuarantine", "test_name", "maxLength")}; ${schema("CreateQuarantine", "reason", "maxLength")}; ` +
        `${schema("CreateQuarantine", "branch", "anyOf", "0", "maxLength")} characters`
    ],
    ["reason of a queue pause", `${schema("PauseQueue", "reason", "maxLength")} characters`],
    ["queue events in one request", schema("QueueEvents", "events", "maxItems")],
    ["failures in one question of triage", schema("AskTriage", "failures", "maxItems")],
    ["failure groups of a test", `${count(Failure.maximumGroups)}, those that failed last`],
    ["faults listed in one 422", count(HttpLimits.faults)]
  ]
}

type Row = readonly [what: string, limit: string]

const limits = (rows: ReadonlyArray<Row>): string => Markdown.table(["What", "Limit"], rows)

/** The parameters of an upload. */
const reports = ["paths", "/v1/ci/{owner}/repositories/{repository}/reports", "post", "parameters"]

/** The number at a place of the document; a parameter is found by its name. */
const numberAt = (document: unknown, path: ReadonlyArray<string>): number => {
  const found = path.reduce<unknown>((value, key) => {
    if (typeof value !== "object" || value === null) return undefined
    const named = Array.isArray(value) ? value.find((each: { readonly name?: string }) => each.name === key) : undefined
    return named ?? Object.entries(value).find(([name]) => name === key)?.[1]
  }, document)
  if (typeof found !== "number") throw new Error(`the OpenAPI document has no number at ${path.join("/")}`)
  return found
}

const bytes = (value: ByteSize.ByteSize): number => ByteSize.toNumberUnsafe(value)

const count = (value: number): string => value.toLocaleString("en-US")

const wholeMebibytes = (value: number): string => count(Math.ceil(value / 1_048_576))

/** A size in the largest unit in which it is whole. */
const size = (value: number): string => {
  const units = [
    ["GiB", 1024 ** 3],
    ["MiB", 1024 ** 2],
    ["KiB", 1024]
  ] as const
  const unit = units.find(([, each]) => value % each === 0)
  return unit === undefined ? `${count(value)} bytes` : `${count(value / unit[1])} ${unit[0]}`
}
