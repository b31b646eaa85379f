/**
 * `npm run mutants -- --subject queue|failure|health|forge [--seed N] [--count 100] [--only text] [--minutes N]
 * [--lists N]`: changes one place of the sources at a time, in a copy of the tree that holds all changes as switches, and
 * runs the tests of the subject that reach the place. A change that no test notices survives, unless `mutants/equivalents.json` says why it changes nothing. Fails below 95 %.
 */
import { parseArgs } from "node:util"
import * as Equivalents from "./mutants/Equivalents.ts"
import * as Mutant from "./mutants/Mutant.ts"
import * as Sample from "./mutants/Sample.ts"
import * as Subject from "./mutants/Subject.ts"
import * as Tree from "./mutants/Tree.ts"
import * as Trial from "./mutants/Trial.ts"
import * as Workspace from "./Workspace.ts"

/** The share of mutants that tests have to notice. */
const aim = 0.95

const { values: options } = parseArgs({
  options: {
    subject: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "100" },
    only: { type: "string", multiple: true, default: [] },
    minutes: { type: "string", default: "60" },
    lists: { type: "string", default: "9" },
    list: { type: "boolean", default: false }
  }
})

const only = options.only
const found = Subject.find(options.subject)
if (found === undefined) {
  console.error(`--subject must be one of ${Subject.names.join(", ")}, not "${options.subject}".`)
  process.exit(2)
}

/** With `--lists 1` only the fast tests run: what they do not notice is a candidate for a test. */
const subject = { ...found, tests: found.tests.slice(0, Number(options.lists)) }

const all = Workspace.files(subject.sources)
  .flatMap(({ path, text }) => Mutant.enumerate(path, text))
  .filter((mutant) => only.length === 0 || only.some((each) => Mutant.describe(mutant).includes(each)))
const reviewed = Equivalents.of(all)
const rest = all.filter((mutant) => !reviewed.matches(mutant))
const chosen = Sample.draw(rest, Number(options.seed), Number(options.count))
console.log(
  `${subject.name}: ${all.length} mutants, ${all.length - rest.length} reviewed as equivalent, ${chosen.length} drawn with seed ${options.seed}`
)
for (const stale of reviewed.stale) console.log(`equivalents.json: nothing is at ${stale.path}: ${stale.line}`)

if (options.list) {
  for (const mutant of chosen) console.log(Mutant.describe(mutant))
  process.exit(0)
}

const numbered = all.map((mutant, id) => ({ id, mutant }))
const outcomes: Array<Trial.Outcome> = []
const report = (outcome: Trial.Outcome): void => {
  outcomes.push(outcome)
  console.log(
    `${outcome.fate.padEnd(9)} ${Mutant.describe(outcome.mutant)}${outcome.by === "" ? "" : ` (${outcome.by})`}`
  )
}
const ends = Date.now() + Number(options.minutes) * 60_000
const tree = Tree.make(subject, numbered)
try {
  await Trial.run(
    { tree, subject, ends, report },
    numbered.filter(({ mutant }) => chosen.includes(mutant))
  )
} finally {
  Tree.remove(tree)
}

const survivors = outcomes.filter(({ fate }) => fate === "survived" || fate === "unreached")
const killed = outcomes.length - survivors.length
console.log(
  `\n${killed} of ${outcomes.length} killed (${((100 * killed) / Math.max(1, outcomes.length)).toFixed(1)} %)`
)
if (outcomes.length < chosen.length) console.log(`${chosen.length - outcomes.length} were not tried in time.`)
if (outcomes.length === 0 || killed / outcomes.length < aim) process.exitCode = 1
