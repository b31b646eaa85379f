import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { SingleFile } from "@lazaret/cli"
import { folder } from "@lazaret/web"
import { adminKey, run, serve } from "./lazaretProcess.ts"

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

describe("npm start", () => {
  it("a server from the bundle records a report and finds the files of the clone", async () => {
    const built = spawnSync(process.execPath, [path("../build.ts")], { encoding: "utf8" })
    assert.strictEqual(built.status, 0, built.stderr)
    const program = path("../start.js")
    await using server = await serve({ cwd: tmpdir(), program, env: { LAZARET_ADMIN_KEY: adminKey } })
    const report = path("../../../examples/run-the-server/report.xml")
    assert.include(server.printed, report)
    const env = { LAZARET_URL: server.url, LAZARET_TOKEN: adminKey }
    const named = ["--pipeline", "CI", "--job", "unit", "--branch", "main", "--commit", "4f1c"]
    const ingested = await run(["ingest", "--repo", "acme/widgets", ...named, report], { cwd: tmpdir(), program, env })
    assert.strictEqual(ingested.exitCode, 0, ingested.stderr)
    const ask = (address: string) =>
      fetch(new URL(address, server.url), { headers: { authorization: `Bearer ${adminKey}` } })
    const statusOf = async (address: string) => (await ask(address)).status
    const found = (await (await ask("/v1/ci/acme/repositories/widgets/search/tests")).json()) as {
      tests: Array<unknown>
    }
    assert.isAbove(found.tests.length, 0)
    assert.strictEqual(await statusOf("/cli/lazaret.mjs"), existsSync(SingleFile.path) ? 200 : 404)
    assert.strictEqual(await statusOf("/icon.svg"), existsSync(`${folder}/icon.svg`) ? 200 : 404)
  })
})
