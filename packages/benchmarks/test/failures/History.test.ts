import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as History from "../../src/failures/History.ts"

describe("History", () => {
  it("a folder of packed and plain files is read in order of time, whatever else its lines have", () => {
    const folder = mkdtempSync(join(tmpdir(), "history-"))
    const later = { at: "2025-03-01T10:00:00Z", commit: "b", branch: "main", jobs: { unit: [["t", "p", null, 17]] } }
    const sooner = {
      at: "2025-03-01T09:00:00+00:00",
      commit: "a",
      jobs: {
        unit: [
          ["t", "f"],
          ["skipped", "s", null],
          ["u", "f", "boom"]
        ],
        empty: []
      }
    }
    writeFileSync(join(folder, "2025 part 1.jsonl.gz"), gzipSync(`${JSON.stringify(later)}\n`))
    writeFileSync(join(folder, "more.jsonl"), `\n${JSON.stringify(sooner)}\n\n`)
    writeFileSync(join(folder, "README.md"), "not a history")
    const runs = History.read(folder)
    rmSync(folder, { recursive: true })
    assert.deepStrictEqual(
      runs?.map(({ commit, jobs }) => [commit, jobs["unit"]]),
      [
        [
          "a",
          [
            ["t", "f", null],
            ["u", "f", "boom"]
          ]
        ],
        ["b", [["t", "p", null]]]
      ]
    )
  })

  it("a folder without history yields null", () => {
    assert.strictEqual(History.read(join(tmpdir(), "no such folder")), null)
  })
})
