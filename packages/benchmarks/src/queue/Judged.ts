/**
 * Failures of rounds, generated and judged by the verdict on failures itself.
 *
 * A suite with some flaky tests runs on the main branch and on the groups of a merge queue. Each report goes to a store in
 * memory, and the store is asked about the failures of a group when its report has come, as the gate does. What comes of it
 * is the input of the simulation: nothing about the judge is assumed.
 */
import { FailureGate, FailurePolicy, FailureVerdict, Instant, Report } from "@lazaret/domain"
import { FailureClass } from "@lazaret/queue"
import { ExecutionStore, MemoryStores, TriageStore } from "@lazaret/store"
import { Effect, Layer, Option } from "effect"
import { choose, random, type Random } from "./Random.ts"

/** A judged failure of a round. */
export interface Judged extends FailureClass.Judgement {
  readonly test: string
}

/** The judged failures of rounds: of a good commit at the first and at the second attempt, and of a bad one. */
export interface Pool {
  readonly flake: ReadonlyArray<ReadonlyArray<Judged>>
  readonly again: ReadonlyArray<ReadonlyArray<Judged>>
  readonly real: ReadonlyArray<ReadonlyArray<Judged>>
}

const ref = { owner: "generated", repository: "generated" }

/** The tests of the suite, and those that are flaky: each with its share of the failures of good commits. */
const suite = Array.from({ length: 80 }, (_, index) => `Suite > test ${index}`)
const flaky: ReadonlyArray<readonly [string, number]> = [
  ["Suite > test 3", 0.4],
  ["Suite > test 17", 0.25],
  ["Suite > test 31", 0.15],
  ["Suite > test 44", 0.1],
  ["Suite > test 59", 0.06],
  ["Suite > test 71", 0.04]
]

/** How many rounds of each kind are judged, and how many runs the main branch has before. */
const wanted = 150
const before = 200

/** A flake shows the message that the test usually has then, or another one; a real failure its own. */
const usual = 0.85

/** A bad change breaks up to three tests: tests of the suite, flaky ones among them, or a test that it brings. */
const kinds: ReadonlyArray<readonly [Bad, number]> = [
  ["old", 0.75],
  ["flaky", 0.1],
  ["new", 0.15]
]
type Bad = "old" | "flaky" | "new"

interface Failing {
  readonly test: string
  readonly message: string
}

/** The judged failures of a suite whose rounds on good commits fail with the probability `rate`. */
export const judged = (rate: number, seed: number): Promise<Pool> =>
  Effect.runPromise(Effect.provide(generate(rate, random(seed)), Layer.fresh(MemoryStores.layer)))

const generate = Effect.fnUntraced(function* (rate: number, draw: Random) {
  const store = yield* ExecutionStore
  const triage = yield* TriageStore
  const pool = {
    flake: new Array<ReadonlyArray<Judged>>(),
    again: new Array<ReadonlyArray<Judged>>(),
    real: new Array<ReadonlyArray<Judged>>()
  }
  let clock = 0
  const run = Effect.fnUntraced(function* (place: Place, failing: ReadonlyArray<Failing>) {
    clock += 10 * Instant.minute
    yield* store.append(ref, reportOf(place, failing, clock))
  })
  const ask = Effect.fnUntraced(function* (runId: string) {
    const found = yield* triage.failures(ref, { _tag: "Run", runId }, FailurePolicy.defaults)
    return Option.match(found, { onNone: () => [], onSome: ({ failures }) => failures }).map(judgementOf)
  })
  for (let count = 0; count < before; count += 1) yield* run(mainAt(count), flakes(draw, rate))
  for (let count = before; pool.real.length < wanted || pool.flake.length < wanted; count += 1) {
    yield* run(mainAt(count), flakes(draw, rate))
    const place = { name: `g${count}`, branch: `gh-readonly-queue/main/pr-${count}-abc`, attempt: 1 }
    const isReal = count % 2 === 0
    const failing = isReal ? broken(draw, count) : [flake(draw)]
    yield* run(place, failing)
    const list = isReal ? pool.real : pool.flake
    list.push(yield* ask(place.name))
    if (isReal) continue
    yield* run({ ...place, attempt: 2 }, failing)
    pool.again.push(yield* ask(place.name))
    yield* run({ ...place, attempt: 3 }, [])
  }
  return pool
})

/** The place of a run: its commit and id, its branch, and which attempt it is. */
interface Place {
  readonly name: string
  readonly branch: string
  readonly attempt: number
}

const mainAt = (count: number): Place => ({ name: `m${count}`, branch: "main", attempt: 1 })

const flakes = (draw: Random, rate: number): ReadonlyArray<Failing> => (draw() < rate ? [flake(draw)] : [])

const flake = (draw: Random): Failing => {
  const test = choose(draw, flaky)
  return { test, message: draw() < usual ? `timeout in ${test}` : `lost connection ${Math.floor(draw() * 5)}` }
}

const broken = (draw: Random, count: number): ReadonlyArray<Failing> =>
  Array.from({ length: 1 + Math.floor(draw() * 3) }, (_, index) => {
    const message = `expected ${index} of change ${count}`
    switch (choose(draw, kinds)) {
      case "old":
        return { test: suite[4 + ((count * 7 + index) % 10)] ?? "", message }
      case "flaky":
        return { test: choose(draw, flaky), message }
      case "new":
        return { test: `Suite > new test of change ${count}`, message }
    }
  })

const reportOf = ({ attempt, branch, name }: Place, failing: ReadonlyArray<Failing>, at: number): Report.Report => {
  const messages = new Map(failing.map(({ message, test }) => [test, message]))
  const key = `${name} ${attempt}`
  return Report.make({
    key,
    digest: key,
    receivedAt: at,
    finishedAt: at,
    run: Report.contextOf({
      pipelineName: "CI",
      jobName: "ci",
      commit: name,
      branch,
      runId: name,
      runAttempt: attempt
    }),
    cases: [...new Set([...suite, ...messages.keys()])].map((testName) => {
      const message = messages.get(testName)
      return message === undefined
        ? Report.caseOf({ testName, conclusion: "passed" })
        : Report.caseOf({ testName, conclusion: "failed", exception: { type: "Error", message, stacktrace: null } })
    })
  })
}

const judgementOf = (facts: Parameters<typeof FailureVerdict.judge>[0]): Judged => {
  const verdict = FailureVerdict.judge(facts, FailurePolicy.defaults, FailureGate.defaults)
  return { test: verdict.testName, ...FailureClass.ofVerdict(verdict, FailureClass.defaults) }
}

/** The shares of the classes of the rounds in a list, as one text. */
export const shares = (rounds: Pool["real"]): string => {
  const classes = rounds.map((round) => FailureClass.combine(round, FailureClass.defaults).class)
  return FailureClass.FailureClass.literals
    .map((name) => `${name} ${(classes.filter((each) => each === name).length / rounds.length).toFixed(2)}`)
    .join(", ")
}
