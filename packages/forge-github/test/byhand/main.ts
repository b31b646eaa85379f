/**
 * The suite of adapters at GitHub, by hand: `npm run conformance:github -- OWNER/REPOSITORY`.
 *
 * `LAZARET_CONFORMANCE_TOKEN` is a token that may write contents, pull requests and commit statuses of that repository;
 * `LAZARET_CONFORMANCE_API_URL` is the address of another GitHub. The report is written to `conformance-github.md` and `.json`, or to
 * the path without its ending that `LAZARET_CONFORMANCE_REPORT` names.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { Effect } from "effect"
import * as Report from "./Report.ts"
import * as Suite from "./Suite.ts"

const [owner = "", repository = ""] = (process.argv[2] ?? "").split("/")
const token = process.env["LAZARET_CONFORMANCE_TOKEN"] ?? ""
const file = process.env["LAZARET_CONFORMANCE_REPORT"] ?? "conformance-github"
const apiUrl = process.env["LAZARET_CONFORMANCE_API_URL"] ?? "https://api.github.com"

if (owner === "" || repository === "" || token === "") {
  process.stderr.write("LAZARET_CONFORMANCE_TOKEN=… npm run conformance:github -- OWNER/REPOSITORY\n")
  process.exitCode = 2
} else {
  const program = Effect.match(Suite.run({ apiUrl, token, ref: { owner, repository } }), {
    onFailure: (error) => {
      process.stderr.write(`${owner}/${repository}: ${error.message}\n`)
      process.exitCode = 2
    },
    onSuccess: (outcomes) => {
      for (const { detail, name, outcome } of outcomes) {
        process.stdout.write(`${outcome.padEnd(8)} ${name}${detail === "" ? "" : ` (${detail})`}\n`)
      }
      process.stdout.write(`${Report.summary(outcomes)}\n`)
      const at = new Date().toISOString()
      const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim()
      const run = { apiUrl, repository: `${owner}/${repository}`, at, commit, outcomes }
      writeFileSync(`${file}.json`, Report.json(run))
      writeFileSync(`${file}.md`, Report.markdown(run))
      process.stdout.write(`written: ${file}.md and ${file}.json\n`)
      if (outcomes.some(({ outcome }) => outcome === "broken")) process.exitCode = 1
    }
  })
  await Effect.runPromise(program)
}
