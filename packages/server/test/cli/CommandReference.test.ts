import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as CommandReference from "../../src/cli/CommandReference.ts"
import * as ExitCode from "../../src/cli/ExitCode.ts"

const page = readFileSync(new URL("../../../../docs/reference/command-line.md", import.meta.url), "utf8")

describe("the reference of the command line", () => {
  it("has every command as it is", () => {
    assert.strictEqual(CommandReference.page(page), page, "run npm run reference")
    assert.include(page, "### lazaret quarantine check")
  })

  it("has every exit code, and no other", () => {
    const table = page.slice(page.indexOf("## Exit codes"))
    const codes = [...table.matchAll(/^\| (\d+) \|/gmu)].map(([, code]) => Number(code))
    assert.sameMembers(codes, Object.values(ExitCode))
  })
})
