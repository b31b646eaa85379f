/** `npm run bench [-- SECTION…]`: runs the benchmarks and prints every result as a ratio to its reference. */
import { cpus } from "node:os"
import { causes } from "./causes.ts"
import { costs } from "./costs.ts"
import { domain } from "./domain.ts"
import { failures } from "./failures.ts"
import { firstPage } from "./firstPage.ts"
import { formats } from "./formats.ts"
import { http } from "./http.ts"
import { ingest } from "./ingest.ts"
import { insight } from "./insight.ts"
import { intervals } from "./intervals.ts"
import { load } from "./load.ts"
import { missing } from "./missing.ts"
import { type Comparison, compare, lastResult } from "./Paired.ts"
import { queue } from "./queue.ts"
import { bytes, postgres } from "./postgres.ts"
import { search } from "./search.ts"
import type { Pairs, Section } from "./Section.ts"
import { shards } from "./shards.ts"
import { slower } from "./slower.ts"
import { start } from "./start.ts"
import { stretch } from "./stretch.ts"
import { triage } from "./triage.ts"
import { uploads } from "./uploads.ts"
import { verdicts } from "./verdicts.ts"

const sections: ReadonlyArray<Section> = [
  domain,
  failures,
  causes,
  insight,
  intervals,
  costs,
  ingest,
  firstPage,
  formats,
  search,
  http,
  load,
  missing,
  postgres,
  queue,
  bytes,
  shards,
  slower,
  start,
  stretch,
  uploads,
  verdicts,
  triage
]

const line = (section: Pairs, result: Comparison): string =>
  [
    `${section.name}: ${result.name}`,
    `  ratio ${result.ratio.toFixed(2)} (${result.spread.map((ratio) => ratio.toFixed(2)).join(" to ")})`,
    `  reference ${result.reference.toFixed(2)} ms, subject ${result.subject.toFixed(2)} ms; ${section.note(result)}`
  ].join("\n")

const run = async (section: Section): Promise<void> => {
  if ("lines" in section) {
    for await (const each of section.lines(options)) console.log(each)
    return
  }
  for (const pair of await section.pairs()) console.log(line(section, await compare(pair)))
  section.close?.()
}

const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"))
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
const unknown = wanted.filter((name) => !sections.some((section) => section.name === name))

if (unknown.length > 0) {
  console.error(
    `No benchmark is called ${unknown.join(", ")}. There are: ${sections.map(({ name }) => name).join(", ")}.`
  )
  process.exitCode = 1
} else {
  console.log(`node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"})`)
  for (const section of sections) {
    if (wanted.length === 0 || wanted.includes(section.name)) await run(section)
  }
  const hasCompared = sections.some(
    (section) => "pairs" in section && (wanted.length === 0 || wanted.includes(section.name))
  )
  if (hasCompared && lastResult() === undefined) throw new Error("no benchmark produced a result")
}
