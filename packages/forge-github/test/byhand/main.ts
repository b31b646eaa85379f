/**
 * The suite of adapters at GitHub, by hand: `npm run conformance:github -- OWNER/REPOSITORY`.
 *
 * `LAZARET_CONFORMANCE_TOKEN` is a token that may write contents, pull requests and commit statuses of that repository;
 * `LAZARET_CONFORMANCE_API_URL` is the address of another GitHub.
 */
import { Effect } from "effect"
import * as Suite from "./Suite.ts"

const [owner = "", repository = ""] = (process.argv[2] ?? "").split("/")
const token = process.env["LAZARET_CONFORMANCE_TOKEN"] ?? ""
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
      const count = (wanted: Suite.Outcome["outcome"]) => outcomes.filter(({ outcome }) => outcome === wanted).length
      process.stdout.write(`${count("holds")} hold, ${count("broken")} broken, ${count("left out")} left out\n`)
      if (count("broken") > 0) process.exitCode = 1
    }
  })
  await Effect.runPromise(program)
}
