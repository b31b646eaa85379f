import { assert, describe, it } from "@effect/vitest"
import * as Summary from "../../src/report/Summary.ts"

const row = (file: string, received: number, warnings: ReadonlyArray<string> = []): Summary.Row => {
  const receipt = {
    report_id: "470d2e52-7833-522d-b2d5-e87b64121fd2",
    executions: { received, recorded: received - 1, duplicates: 1, skipped: 0 },
    identities: received,
    warnings
  }
  return { file, receipt, body: { ...receipt, new_field: 1 } }
}

const file = { columns: null, hasColours: false }

const refused = { file: "c.xml", message: "The report is too large." }

describe("the summary of uploads", () => {
  it("the summary of uploads is a table with a line for each file", () => {
    assert.strictEqual(
      Summary.text(file, [row("a.xml", 12)], []),
      [
        "file   received  recorded  duplicates  skipped  identities",
        "a.xml        12        11           1        0          12"
      ].join("\n")
    )
  })

  it("the summary of uploads has a total below several files, and warnings and failures at the end", () => {
    assert.strictEqual(
      Summary.text(file, [row("a.xml", 12, ["A case has no name."]), row("long/b.xml", 1000)], [refused]),
      [
        "file        received  recorded  duplicates  skipped  identities",
        "a.xml             12        11           1        0          12",
        "long/b.xml      1000       999           1        0        1000",
        "total           1012      1010           2        0",
        "warning: a.xml: A case has no name.",
        "failed: c.xml: The report is too large."
      ].join("\n")
    )
  })

  it("with --json the summary of uploads holds the receipts as the server sent them, and the failures", () => {
    const { file: name, receipt, ...one } = row("a.xml", 12)
    const answer: unknown = Summary.answer([{ file: name, receipt, ...one }], [refused])
    assert.deepStrictEqual(answer, {
      reports: [{ file: name, ...receipt, new_field: 1 }],
      failures: [refused]
    })
  })
})
