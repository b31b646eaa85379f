/** Documents with one number or time at an edge: the first, the last, and one beyond. */
import * as fc from "fast-check"
import type { Json } from "../description.ts"

/** Times at the edges of what is accepted, and beyond them. */
export const times = {
  accepted: ["1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "1969-12-31T19:00:00-05:00"],
  refused: [
    "1969-12-31T23:59:59.999Z",
    "1970-01-01T00:59:59.999+01:00",
    "1900-01-01T00:00:00Z",
    "0001-01-01T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999-00:01",
    "10000-01-01T00:00:00Z"
  ]
}

const numbers = [-1e308, -(2 ** 53), -(2 ** 31) - 1, -1, -0, 0, 0.5, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e308]

/** The document with one of its numbers or times at an edge; the document itself when it has neither. */
export const of = (document: Json): fc.Arbitrary<Json> => {
  const changes = changesOf(document)
  return changes.length === 0 ? fc.constant(document) : fc.constantFrom(...changes)
}

const changesOf = (json: Json): ReadonlyArray<Json> => {
  if (typeof json === "number") return numbers
  if (typeof json === "string") return edgesOf(json)
  if (json === null || typeof json !== "object") return []
  return Object.keys(json).flatMap((key) =>
    changesOf(json[key]).map((value) =>
      Array.isArray(json) ? json.with(Number(key), value) : { ...json, [key]: value }
    )
  )
}

const edgesOf = (text: string): ReadonlyArray<string> => {
  if (/^\d{4}-\d{2}-\d{2}T/u.test(text)) return [...times.accepted, ...times.refused]
  return /^\d+$/u.test(text) ? ["-1", "0", String(2n ** 53n), String(2n ** 63n), String(2n ** 64n)] : []
}

/** Reports of the formats that the description gives no example of, with every number that a parser reads. */
export const reports: ReadonlyArray<Json> = [
  {
    numFailedTests: 0,
    numRuntimeErrorTestSuites: 0,
    success: true,
    testResults: [
      {
        name: "a.test.js",
        status: "passed",
        endTime: 1_769_860_800_000,
        assertionResults: [
          {
            title: "adds",
            status: "failed",
            duration: 5,
            startAt: 1_769_860_800_000,
            invocations: 2,
            failureMessages: []
          }
        ]
      }
    ]
  },
  {
    config: { version: "1.50.0" },
    stats: { startTime: "2026-01-31T12:00:00Z", duration: 5, expected: 0, unexpected: 1, skipped: 0, flaky: 0 },
    errors: [],
    suites: [
      {
        title: "a.spec.ts",
        file: "a.spec.ts",
        specs: [
          {
            title: "adds",
            file: "a.spec.ts",
            line: 3,
            tests: [
              {
                projectName: "",
                expectedStatus: "passed",
                status: "unexpected",
                results: [{ status: "failed", duration: 5, retry: 0, startTime: "2026-01-31T12:00:00Z", errors: [] }]
              }
            ]
          }
        ]
      }
    ]
  },
  {
    results: {
      tool: { name: "jest" },
      summary: {
        tests: 1,
        passed: 0,
        failed: 1,
        skipped: 0,
        pending: 0,
        other: 0,
        start: 1_769_860_800,
        stop: 1_769_860_801
      },
      tests: [
        { name: "adds", status: "failed", duration: 5, start: 1_769_860_800_000, stop: 1_769_860_801_000, retries: 1 }
      ]
    }
  }
]
