/** One example of each body of the operations that take reports. */
import type { Example } from "../definition/openapi/Operation.ts"
import type * as Upload from "./Upload.ts"

const receipt: (typeof Upload.Receipt)["Encoded"] = {
  report_id: "4a1f7b1c-9f0d-5b57-8d3c-0c7a1f9b2e60",
  executions: { received: 240, recorded: 240, duplicates: 0, skipped: 3 },
  identities: 240,
  warnings: []
}

const ctrf = {
  results: {
    tool: { name: "vitest" },
    summary: { tests: 1, passed: 1, failed: 0, skipped: 0, pending: 0, other: 0, start: 1769860800, stop: 1769860801 },
    tests: [{ name: "adds", suite: "cart", status: "passed", duration: 12 }]
  }
}

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })

const otlp = {
  resourceSpans: [
    {
      resource: {
        attributes: [
          attribute("cicd.pipeline.name", "CI"),
          attribute("cicd.pipeline.task.name", "unit"),
          attribute("vcs.ref.head.name", "main"),
          attribute("vcs.ref.head.revision", "3f786850e387550fdab836ed7e6dc881de23001b")
        ]
      },
      scopeSpans: [
        {
          spans: [
            {
              name: "cart > adds",
              startTimeUnixNano: "1769860800000000000",
              endTimeUnixNano: "1769860800012000000",
              attributes: [attribute("test.scope", "case"), attribute("test.case.result.status", "passed")]
            }
          ]
        }
      ]
    }
  ]
}

const tracesExample = {
  request: { "application/json": otlp },
  response: { ...receipt, reports: [receipt] }
}

const goTest = `{"Action":"run","Package":"acme/shop","Test":"TestAdds"}
{"Action":"pass","Package":"acme/shop","Test":"TestAdds","Elapsed":0.01}
{"Action":"pass","Package":"acme/shop","Elapsed":0.02}
`

const junit = `<testsuite name="cart"><testcase classname="cart" name="adds" time="0.012"/></testsuite>`

/** The examples of the operations that take reports. */
export const uploadExamples = {
  uploadReport: {
    request: {
      "application/xml": junit,
      "text/xml": junit,
      "application/json": ctrf,
      "application/x-ndjson": goTest,
      "application/octet-stream": junit
    },
    response: receipt
  },
  uploadTraces: tracesExample
} as const satisfies { readonly [operation: string]: Example }
