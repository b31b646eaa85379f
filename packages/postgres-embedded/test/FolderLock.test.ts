import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Effect } from "effect"
import * as FolderLock from "../src/FolderLock.ts"
import * as SystemProcess from "../src/SystemProcess.ts"

/** A folder with these locks in it. */
const folderWith = (...locks: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "lazaret-lock-"))
      mkdirSync(join(folder, "lock"))
      for (const name of locks) writeFileSync(join(folder, "lock", name), "")
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

const nameOf = (pid: number) => `${pid}.${SystemProcess.identity(pid)}`
const locksIn = (folder: string) => readdirSync(join(folder, "lock")).toSorted()
const acquired = (folder: string, pid?: number) =>
  Effect.scoped(
    Effect.andThen(
      FolderLock.acquire(folder, pid),
      Effect.sync(() => locksIn(folder))
    )
  )

const self = nameOf(process.pid)
/** The process that runs the tests, which goes on running. */
const parent = nameOf(process.ppid)

/** The number of another process, which runs while the test does. */
const sleeping = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => spawn("sleep", ["60"])),
    (child) => Effect.sync(() => child.kill())
  ),
  ({ pid = 0 }) => pid
)

describe("the lock of a data folder", () => {
  test("the lock of a data folder is there while the scope is open, and gone afterwards", function* () {
    const folder = yield* folderWith()
    assert.deepStrictEqual(yield* acquired(folder), [`${self}.held`, `${self}.wanted`])
    assert.deepStrictEqual(locksIn(folder), [])
  })

  test("the lock of a data folder is refused while another process holds it, whose lock stays", function* () {
    const folder = yield* folderWith(`${parent}.held`, `${parent}.wanted`)
    const error = yield* Effect.flip(acquired(folder))
    assert.deepStrictEqual([error.reason, error.message.includes(String(process.ppid))], ["locked", true])
    assert.deepStrictEqual(locksIn(folder), [`${parent}.held`, `${parent}.wanted`])
  })

  test("the lock of a data folder is taken over from a process that has ended, also when another one has its number now", function* () {
    const folder = yield* folderWith("99999999.0-1.held", `${process.ppid}.0-1.held`, `${process.ppid}.0-1.wanted`)
    assert.deepStrictEqual(yield* acquired(folder), [`${self}.held`, `${self}.wanted`])
  })

  test("the lock of a data folder is left to the first by name of those who want it at the same time", function* () {
    const folder = yield* folderWith(`${nameOf(1)}.wanted`)
    assert.strictEqual((yield* Effect.flip(acquired(folder))).reason, "locked")
    assert.deepStrictEqual(locksIn(folder), [`${nameOf(1)}.wanted`])
  })

  it.live("the lock of a data folder is waited for by the first by name until the others have given up", () =>
    Effect.gen(function* () {
      const pids = yield* Effect.all([sleeping, sleeping])
      const [first = 0, later = 0] = pids.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
      const folder = yield* folderWith(`${nameOf(later)}.wanted`)
      const givesUp = Effect.sync(() => rmSync(join(folder, "lock", `${nameOf(later)}.wanted`)))
      const [locks] = yield* Effect.all([acquired(folder, first), Effect.delay(givesUp, "50 millis")], {
        concurrency: 2
      })
      assert.deepStrictEqual(locks, [`${nameOf(first)}.held`, `${nameOf(first)}.wanted`])
    })
  )
})
