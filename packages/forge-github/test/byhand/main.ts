/**
 * The suite of adapters at GitHub, by hand: `npm run conformance:github -- OWNER/REPOSITORY`.
 *
 * The settings are those of `Target.ts`. The report is written to `conformance-github.md` and `.json`, or to the path without its ending
 * that `LAZARET_CONFORMANCE_REPORT` names.
 */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { Effect } from "effect"
import * as Report from "./Report.ts"
import * as Suite from "./Suite.ts"
import * as Target from "./Target.ts"

const [name = ""] = process.argv.slice(2)
const file = process.env["LAZARET_CONFORMANCE_REPORT"] ?? "conformance-github"

const program = Effect.gen(function* () {
  const target = yield* Effect.fromResult(Target.of(name, process.env))
  const outcomes = yield* Suite.run(target)
  for (const { detail, name: sentence, outcome } of outcomes) {
    process.stdout.write(`${outcome.padEnd(8)} ${sentence}${detail === "" ? "" : ` (${detail})`}\n`)
  }
  process.stdout.write(`${Report.summary(outcomes)}\n`)
  const at = new Date().toISOString()
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim()
  const run = { apiUrl: target.apiUrl, repository: name, by: Target.namesOf(target), at, commit, outcomes }
  writeFileSync(`${file}.json`, Report.json(run))
  writeFileSync(`${file}.md`, Report.markdown(run))
  process.stdout.write(`written: ${file}.md and ${file}.json\n`)
  if (outcomes.some(({ outcome }) => outcome === "broken")) process.exitCode = 1
})

const refused = ({ message }: { readonly message: string }) =>
  Effect.sync(() => {
    process.stderr.write(`${name}: ${message}\n`)
    process.exitCode = 2
  })

await Effect.runPromise(Effect.matchEffect(program, { onFailure: refused, onSuccess: () => Effect.void }))
