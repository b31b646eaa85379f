/** Parsing and recording a report against reading its XML alone. */
import { JUnit } from "@lazaret/ingest"
import { Ingestion } from "@lazaret/services"
import { Effect, Result } from "effect"
import { SaxesParser } from "saxes"
import { seeded } from "./histories.ts"
import { withMemory } from "./memory.ts"
import type { Pairs } from "./Section.ts"

const cases = 50_000

/** Ingest benchmarks. Aim: parsed and recorded in under 3 times the time of reading the XML alone. */
export const ingest: Pairs = {
  name: "ingest",
  pairs: () => {
    const xml = junit(seeded(7))
    const bytes = new TextEncoder().encode(xml)
    let run = 0
    return [
      {
        name: `${cases} JUnit cases parsed, against the bare XML parser`,
        rounds: 9,
        reference: () => elementsOf(bytes),
        subject: () => Result.getOrThrow(JUnit.parse(bytes)).cases.length
      },
      {
        name: `${cases} JUnit cases parsed and recorded in a new memory store, against the bare XML parser`,
        rounds: 9,
        reference: () => elementsOf(bytes),
        subject: () => withMemory(upload(bytes, run++))
      }
    ]
  },
  note: ({ subject }) => `${(cases / subject).toFixed(0)} thousand cases/s`
}

const upload = (bytes: Uint8Array, run: number) =>
  Effect.flatMap(Ingestion, (ingestion) => {
    const { cases: parsed } = Result.getOrThrow(JUnit.parse(bytes))
    const given = { idempotencyKey: null, digest: `${run}`, finishedAt: null, cases: parsed, warnings: [] }
    return ingestion.record({ owner: "acme", repository: "widgets" }, { ...given, run: contextOf(run) })
  })

const contextOf = (run: number) => ({
  pipelineName: "CI",
  jobName: "unit",
  branch: "main",
  baseBranch: null,
  commit: `commit ${run}`,
  runId: `${run}`,
  runAttempt: 1,
  jobUrl: null,
  framework: null,
  frameworkVersion: null,
  language: null,
  pullRequest: null,
  pullNumber: null
})

const elementsOf = (bytes: Uint8Array): number => {
  const parser = new SaxesParser()
  let elements = 0
  parser.on("opentag", () => {
    elements += 1
  })
  parser.write(new TextDecoder().decode(bytes)).close()
  return elements
}

const junit = (random: () => number): string => {
  const suites = Array.from({ length: cases / 50 }, (__, suite) => {
    const lines = Array.from({ length: 50 }, (_, index) => {
      const open = `<testcase classname="com.acme.widgets.Suite${suite}" name="keeps law ${index}" time="${random().toFixed(3)}"`
      return random() < 0.01
        ? `${open}><failure type="AssertionError" message="expected ${index}">at line ${suite}\n  at main</failure></testcase>`
        : `${open}/>`
    })
    return `<testsuite name="com.acme.widgets.Suite${suite}" tests="50">\n${lines.join("\n")}\n</testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("\n")}\n</testsuites>\n`
}
