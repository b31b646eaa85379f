import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

/** The command that `lazaret` runs. */
const command = createRequire(import.meta.url)
  .resolve("@lazaret/server/package.json")
  .replace(/package\.json$/, "bin/lazaret.js")

const folder = mkdtempSync(join(tmpdir(), "lazaret-example-"))
const { DATABASE_URL: _, ...inherited } = process.env
const server = spawn(process.execPath, [...process.execArgv, command, "serve"], {
  env: { ...inherited, PORT: "0", LAZARET_DATA_DIR: folder },
  stdio: ["ignore", "pipe", "inherit"]
})

const ready = async (): Promise<string> => {
  for await (const line of createInterface(server.stdout)) {
    const url = /ready at (\S+)$/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error("the server ended before it was ready")
}

try {
  const url = await ready()
  const token = readFileSync(join(folder, "admin-key"), "utf8").trim()
  console.log("the server is ready, with a PostgreSQL of its own")

  const report = new URL("report.xml", import.meta.url).pathname
  const where = ["--repo", "acme/widgets", "--pipeline", "CI", "--job", "unit", "--branch", "main", "--commit", "4f1c"]
  spawnSync(process.execPath, [...process.execArgv, command, "ingest", ...where, report], {
    env: { ...inherited, LAZARET_URL: url, LAZARET_TOKEN: token },
    stdio: ["ignore", "ignore", "inherit"]
  })

  const answer = await fetch(`${url}/v1/ci/acme/repositories/widgets/search/tests?sort=test_name&direction=asc`, {
    headers: { authorization: `Bearer ${token}` }
  })
  const { tests } = (await answer.json()) as {
    readonly tests: ReadonlyArray<{ readonly test_name: string; readonly metrics: { readonly health_status: string } }>
  }
  for (const each of tests) console.log(`${each.test_name}: ${each.metrics.health_status}`)
} finally {
  const ended = new Promise((resolve) => {
    server.once("exit", resolve)
  })
  server.kill("SIGTERM")
  await ended
  rmSync(folder, { recursive: true, force: true })
}
