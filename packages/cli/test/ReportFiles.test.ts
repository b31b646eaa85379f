import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ReportFiles from "../src/report/ReportFiles.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "reports-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("ReportFiles", () => {
  it.effect("findAll passes over a folder and a pipe that have the name of a report", () =>
    Effect.gen(function* () {
      const root = yield* folder
      writeFileSync(join(root, "green.xml"), "<testsuite/>")
      mkdirSync(join(root, "results.xml"))
      execFileSync("mkfifo", [join(root, "pipe.xml")])
      const found = yield* ReportFiles.findAll([root])
      assert.deepStrictEqual(
        found.map(({ path }) => path),
        [join(root, "green.xml")]
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
