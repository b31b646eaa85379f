import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as ExitCode from "../../src/terminal/ExitCode.ts"

const page = readFileSync(new URL("../../../../docs/reference/command-line.md", import.meta.url), "utf8")

describe("the reference of the command line", () => {
  it("the reference of the command line lists every exit code, and no other", () => {
    const table = page.slice(page.indexOf("## Exit codes"))
    const codes = [...table.matchAll(/^\| (\d+) \|/gmu)].map(([, code]) => Number(code))
    assert.sameMembers(codes, Object.values(ExitCode))
  })
})
