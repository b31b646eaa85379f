/** Uploads of made-up results, in several formats. */
import { gzipSync } from "node:zlib"
import { seeded } from "../histories.ts"

/** A format: its media type, whether it goes to the route of spans, and the body with the results of a run. */
export interface Format {
  readonly name: string
  readonly mediaType: string
  readonly isSpans: boolean
  readonly body: (run: Run) => string
}

/** A run: its number decides which tests fail. */
export interface Run {
  readonly number: number
  readonly commit: string
  readonly branch: string
  readonly tests: number
}

/** The format of a run; runs that follow one another have different ones, also those of the same repository of 20. */
export const formatOf = (number: number): Format => {
  const format = formats.at((number + Math.floor(number / 20)) % formats.length)
  if (format === undefined) throw new Error("there are formats")
  return format
}

/** The formats; each is a job of its own. */
const formats: ReadonlyArray<Format> = [
  {
    name: "junit",
    mediaType: "application/xml",
    isSpans: false,
    body: (run) =>
      `<testsuites><testsuite name="all" tests="${run.tests}">${cases(run, xmlCase).join("\n")}</testsuite></testsuites>`
  },
  {
    name: "ctrf",
    mediaType: "application/json",
    isSpans: false,
    body: (run) => JSON.stringify({ results: { tool: { name: "vitest" }, tests: cases(run, ctrfCase) } })
  },
  {
    name: "go",
    mediaType: "application/x-ndjson",
    isSpans: false,
    body: (run) => [...cases(run, goLines), ...goPackages].join("")
  },
  { name: "spans", mediaType: "application/json", isSpans: true, body: (run) => JSON.stringify(spans(run)) }
]

/** The body of a run as it is sent, compressed. */
export const packed = (format: Format, run: Run): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(format.body(run)))

interface Case {
  readonly index: number
  readonly name: string
  readonly seconds: number
  readonly isFailed: boolean
}

/** One test of a hundred fails in a third of its runs, all others in one of five thousand. */
const cases = <A>({ number, tests }: Run, shape: (one: Case) => A): ReadonlyArray<A> => {
  const random = seeded(number + 1)
  return Array.from({ length: tests }, (_, index) =>
    shape({
      index,
      name: `keeps law ${index} of area ${index % 40}`,
      seconds: Math.round(random() * 900) / 1000,
      isFailed: random() < (index % 100 === 0 ? 1 / 3 : 1 / 5000)
    })
  )
}

const trace = (index: number): string =>
  `AssertionError: expected ${index} to equal ${index + 1}\n${"    at run (src/runner/execute.ts:120:11)\n".repeat(20)}`

const xmlCase = ({ index, isFailed, name, seconds }: Case): string => {
  const failure = `<failure type="AssertionError" message="expected ${index}">${trace(index)}</failure>`
  return `<testcase classname="Suite${index % 40}" name="${name}" time="${seconds}">${isFailed ? failure : ""}</testcase>`
}

const ctrfCase = ({ index, isFailed, name, seconds }: Case) => ({
  name,
  filePath: `src/area ${index % 40}/case.test.ts`,
  status: isFailed ? "failed" : "passed",
  duration: seconds * 1000,
  ...(isFailed && { message: `expected ${index}`, trace: trace(index) })
})

const goLines = ({ index, isFailed, name, seconds }: Case): string => {
  const test = { Package: `example.com/area${index % 40}`, Test: `Test_${name.replaceAll(" ", "_")}` }
  const output = isFailed ? [{ Action: "output", ...test, Output: trace(index) }] : []
  const lines = [
    { Action: "run", ...test },
    ...output,
    { Action: isFailed ? "fail" : "pass", ...test, Elapsed: seconds }
  ]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("")
}

/** The end of each package: without it a stream counts as cut off. */
const goPackages = Array.from(
  { length: 40 },
  (_, area) => `${JSON.stringify({ Action: "fail", Package: `example.com/area${area}`, Elapsed: 9 })}\n`
)

const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } })

const spans = (run: Run) => {
  const end = BigInt(Date.now()) * 1_000_000n
  const resource = [
    ["cicd.pipeline.name", "CI"],
    ["cicd.pipeline.task.name", "spans"],
    ["cicd.pipeline.run.id", `${run.number}`],
    ["vcs.ref.head.name", run.branch],
    ["vcs.ref.head.revision", run.commit]
  ] as const
  const each = ({ index, isFailed, name, seconds }: Case) => ({
    name,
    startTimeUnixNano: `${end - BigInt(Math.round(seconds * 1e9))}`,
    endTimeUnixNano: `${end}`,
    attributes: [
      attribute("test.scope", "case"),
      attribute("test.case.result.status", isFailed ? "failed" : "passed"),
      ...(isFailed
        ? [attribute("exception.type", "AssertionError"), attribute("exception.message", `expected ${index}`)]
        : [])
    ]
  })
  const attributes = resource.map(([key, value]) => attribute(key, value))
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: cases(run, each) }] }] }
}
