import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Stream } from "effect"
import { Zip } from "effect/encoding"
import * as Progress from "../../src/terminal/Progress.ts"
import * as ReportFile from "../../src/report/ReportFile.ts"
import * as ReportFiles from "../../src/report/ReportFiles.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "reports-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** The names of the files below the folder that are read as reports, and of those that cannot be read. */
const readIn = Effect.fnUntraced(function* (
  root: string,
  files: Readonly<Record<string, string>>,
  isSearched: boolean
) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  const found = Object.keys(files).map((name) => ({ path: join(root, name), isFound: true, isSearched }))
  const { read, unreadable } = yield* ReportFile.readFound(found, Progress.make({ write: () => {} }, true))
  return [read, unreadable].map((each) => each.length)
})

describe("ReportFile", () => {
  const stray = { "settings.json": "{ // a comment", "empty.json": "", "log.jsonl": "{}\n{", "data.json": "[1]" }
  const cut = {
    "ctrf.json": `{"results": {"tool": {"name": "x"}, "tests": [`,
    "jest.json": `{"numFailedTestSuites":1,"numFailedTests":1,`,
    "playwright.json": `{"config":{"configFile":"a","rootDir":"/x","projects":[{`,
    "go.json": `{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"p","Test":"T"}\n`,
    "junit.xml": "<testsuite",
    "empty.xml": ""
  }

  it.effect("JSON that nobody named and that does not begin like a report is passed over", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readIn(yield* folder, stray, true), [0, 0])
      assert.deepStrictEqual(yield* readIn(yield* folder, stray, false), [0, 2])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("a report that is cut off cannot be read, whether it was named or found in a folder", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readIn(yield* folder, cut, true), [0, 6])
      assert.deepStrictEqual(yield* readIn(yield* folder, cut, false), [0, 6])
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("a zip archive", () => {
  const zip = Stream.make(
    Zip.file("deep/junit.xml", `<testsuite><testcase name="adds"/></testsuite>`),
    Zip.file("coverage.xml", "<coverage/>"),
    Zip.file("package.json", "{}"),
    Zip.file("cut.xml", "<testsuite"),
    Zip.file("trace.zip", "PK")
  ).pipe(Stream.pipeThroughChannel(Zip.encode()), Stream.runCollect, Effect.map(Buffer.concat))

  const readAll = (path: string) => ReportFile.readAll([path], Option.none(), Progress.make({ write: () => {} }, true))

  it.effect("the reports in a zip archive are read, under their names, and the other files are passed over", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "artifact.zip")
      writeFileSync(path, yield* zip)
      const { read, unreadable } = yield* readAll(path)
      assert.deepStrictEqual(
        read.map(({ file, reports }) => [file.name, reports[0]?.cases.length]),
        [[`${path}: deep/junit.xml`, 1]]
      )
      assert.deepStrictEqual(
        unreadable.map(({ file }) => file),
        [`${path}: cut.xml`]
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("a damaged archive is refused as a whole", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "artifact.zip")
      writeFileSync(path, (yield* zip).subarray(0, 60))
      const { read, unreadable } = yield* readAll(path)
      assert.strictEqual(read.length, 0)
      assert.deepStrictEqual(unreadable, [
        { file: path, message: "It cannot be read: The archive is cut off: upload it whole." }
      ])
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

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
