/**
 * `npm run mutants -- --subject queue|failure|health|forge [--seed N] [--count 100] [--only text] [--minutes N]
 * [--lists N]`: changes one place of the sources at a time, in a copy of the tree that holds all changes as switches, and
 * runs the tests of the subject that reach the place. A change that no test notices survives, unless `mutants/equivalents.json` says why it changes nothing.
 * Fails below 95 %. What a run finds is kept in `.cache/mutants`: the next run goes on there, also after an interrupt.
 */
import { parseArgs } from "node:util"
import * as Equivalents from "./mutants/Equivalents.ts"
import * as Findings from "./mutants/Findings.ts"
import * as Mutant from "./mutants/Mutant.ts"
import * as Sample from "./mutants/Sample.ts"
import * as Subject from "./mutants/Subject.ts"
import type * as Switches from "./mutants/Switches.ts"
import * as Tree from "./mutants/Tree.ts"
import * as Trial from "./mutants/Trial.ts"
import * as Types from "./mutants/Types.ts"
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

const all = Workspace.files(subject.sources).flatMap(({ path, text }) => Mutant.enumerate(path, text))
const isAsked = ({ mutant }: Switches.Numbered): boolean =>
  only.length === 0 || only.some((each) => Mutant.describe(mutant).includes(each))
const reviewed = Equivalents.of(all)
for (const stale of reviewed.stale) console.log(`equivalents.json: nothing is at ${stale.path}: ${stale.line}`)

const numbered = all.map((mutant, id) => ({ id, mutant }))
const numbers = new Map(numbered.map(({ id, mutant }) => [mutant, id]))
const drawn = Sample.order(all, Number(options.seed))
  .map((mutant) => ({ id: numbers.get(mutant) ?? -1, mutant }))
  .filter(isAsked)
const count = Number(options.count)

/** More are drawn than are tried: those that do not compile and those that were reviewed are left out. */
const candidates = drawn.slice(0, Math.ceil(count * 1.6) + 10)
if (options.list) {
  for (const { mutant } of candidates) console.log(Mutant.describe(mutant))
  process.exit(0)
}

let isStopped = false
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void (isStopped = true))

const ends = Date.now() + Number(options.minutes) * 60_000
const findings = Findings.open(Findings.fileOf(subject.name), numbered)
const tree = Tree.make(subject)
const outcomes: Array<Trial.Outcome> = []
let chosen: ReadonlyArray<Switches.Numbered> = []
try {
  const isCompiled = Types.check(tree.root, candidates, findings)
  const isEquivalent = ({ mutant }: Switches.Numbered) => reviewed.matches(mutant)
  chosen = candidates.filter((each) => !isEquivalent(each) && isCompiled(each)).slice(0, count)
  const last = chosen.at(-1)
  const over = chosen.length < count || last === undefined ? candidates : candidates.slice(0, candidates.indexOf(last))
  const invalid = over.filter((each) => !isCompiled(each)).length
  const equivalent = over.filter((each) => isCompiled(each) && isEquivalent(each)).length
  console.log(
    `${subject.name}, seed ${options.seed}: ${all.length} mutants, ${chosen.length} drawn; left out: ${invalid} that do not compile, ${equivalent} reviewed as equivalent`
  )
  Tree.install(tree, numbered)
  const report = (outcome: Trial.Outcome): void => {
    outcomes.push(outcome)
    console.log(
      `${outcome.fate.padEnd(9)} ${Mutant.describe(outcome.mutant)}${outcome.by === "" ? "" : ` (${outcome.by})`}`
    )
  }
  await Trial.run({ tree, subject, findings, isOver: () => isStopped || Date.now() > ends, report }, chosen)
} finally {
  Tree.remove(tree)
}

const undecided = chosen.filter(({ id }) => !outcomes.some((each) => each.id === id))
for (const { mutant } of undecided) console.log(`undecided ${Mutant.describe(mutant)}`)
const survivors = outcomes.filter(({ fate }) => fate === "survived" || fate === "unreached")
const killed = outcomes.length - survivors.length
console.log(
  `\n${killed} of ${chosen.length} killed (${((100 * killed) / Math.max(1, chosen.length)).toFixed(1)} %), ${survivors.length} survived, ${undecided.length} undecided`
)
if (chosen.length === 0 || killed / chosen.length < aim) process.exitCode = 1
