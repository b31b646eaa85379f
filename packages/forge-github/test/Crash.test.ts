/** Crashes of a server at every point of a gate, over the merge queue of the simulated GitHub without its network. */
import { assert, describe, it } from "@effect/vitest"
import { Hub, MergeQueue, Workflows } from "@lazaret/forge-simulated"
import { EngineReports, Engines, QueueForge, Queues } from "@lazaret/services"
import { EngineStore, MemoryStores, QueueStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { ref } from "./connection.ts"
import { Doom } from "@lazaret/forge-conformance"
import { gateFile, runCi, type Script, waive } from "./gate.ts"

type Fate = "green" | "flaky once" | "flaky" | "real"

/** A schedule: the fates of pull requests, and whether somebody pauses and resumes meanwhile. */
interface Schedule {
  readonly fates: ReadonlyArray<Fate>
  readonly isPaused: boolean
}

const scriptOf = ({ fates }: Schedule): Script => ({
  ci: (number, attempt) => {
    const fate = fates[number - 1]
    return fate === "green" || (fate === "flaky once" && attempt > 1) ? "success" : "failure"
  },
  judge: (number) => (fates[number - 1] === "real" ? "real" : "flaky")
})

/** A repository with a merge queue, and its platform: every write has its effect between two points. */
const platformOf = (doom: Doom.Doom) => {
  const hub = Hub.make()
  const repository: Hub.Repository = {
    id: 1,
    owner: "acme",
    name: "widgets",
    isPrivate: false,
    defaultBranch: "main",
    files: new Map(),
    tokens: new Map(),
    pulls: [],
    checkRuns: [],
    comments: [],
    issues: [],
    statuses: [],
    runs: [],
    branchRules: [],
    trees: new Map(),
    queue: []
  }
  const write = (effect: () => void) => Doom.between(doom)(Effect.sync(effect))
  const pull = ({ base, head, mergeCommit, mergedAt, number, state }: Hub.Pull) => ({
    number,
    state: mergedAt === null ? state : ("merged" as const),
    draft: false,
    head: head.sha,
    base: base.ref,
    mergeable: true,
    approved: true,
    labels: [],
    landed: mergeCommit === null ? null : { sha: mergeCommit, tree: MergeQueue.treeOf(repository, mergeCommit) },
    removal: null
  })
  const forge = QueueForge.of({
    pull: (_, number) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(repository.pulls.find((each) => each.number === number)), pull)
      ),
    openPulls: () =>
      Effect.sync(() =>
        repository.pulls.filter(({ state }) => state === "open").map((each) => ({ ...pull(each), checks: [] }))
      ),
    checks: (_, sha) =>
      Effect.sync(() => {
        const runs = repository.checkRuns.filter(
          ({ headSha, members }) => headSha === sha && members["name"] === "unit"
        )
        const conclusion = runs.at(-1)?.members["conclusion"]
        const state = conclusion === "success" || conclusion === "failure" ? conclusion : "pending"
        return [{ name: "unit", state, attempt: runs.length }]
      }),
    queue: () =>
      Effect.sync(() =>
        Option.some(
          (repository.queue ?? []).map(({ group, number }) => ({
            number,
            head: `head-${number}`,
            group: group === null ? null : { ...group, tree: MergeQueue.treeOf(repository, group.id) }
          }))
        )
      ),
    permission: () => Effect.succeed("none"),
    rules: () =>
      Effect.succeed([
        { kind: "required_check", name: "lazaret/queue", isOurs: true },
        { kind: "merge_queue", timeout: 3_600_000 }
      ]),
    setCheck: (_, { conclusion, sha }) =>
      write(() => {
        const members = { name: "lazaret/queue", ...(conclusion === null ? {} : { conclusion }) }
        repository.checkRuns.push({ id: Hub.nextId(hub), headSha: sha, appId: 1, members, annotations: [] })
      }),
    rerun: (_, { attempt, sha }) =>
      write(() => {
        const run = repository.runs.find(({ headSha, status }) => headSha === sha && status === "completed")
        if (run !== undefined && run.attempt <= attempt) Workflows.rerun(hub, repository, run, "failed")
      }).pipe(Effect.as("started" as const)),
    runsInProgress: (_, sha) =>
      Effect.sync(() => repository.runs.some(({ headSha, status }) => headSha === sha && status !== "completed")),
    tip: () => Effect.succeedNone,
    sweepAt: () => Effect.succeed(0),
    cancel: () => write(() => {}),
    cancelChecks: () =>
      Effect.as(
        write(() => {}),
        true
      ),
    enqueue: (_, { number }) => write(() => MergeQueue.enter(repository, number)),
    dequeue: (_, number) => write(() => MergeQueue.leave(repository, number))
  })
  repository.branchRules?.push({
    type: "required_status_checks",
    parameters: { required_status_checks: [{ context: "lazaret/queue" }] }
  })
  return { hub, repository, forge }
}

const openPull = (repository: Hub.Repository, number: number): void => {
  repository.pulls.push({
    id: number,
    number,
    title: "Change something",
    user: { id: 7, login: "ada" },
    head: { sha: `head-${number}`, ref: `change-${number}`, isFork: false },
    base: { sha: "m0", ref: "main" },
    state: "open",
    mergedAt: null,
    mergeCommit: null,
    commits: new Set()
  })
  MergeQueue.enter(repository, number)
}

/** The end of a schedule in which the server dies at a point; 0: it does not. */
const play = Effect.fnUntraced(function* (schedule: Schedule, at: number, forgets = false) {
  const doom = Doom.make()
  const { forge, hub, repository } = platformOf(doom)
  const script = scriptOf(schedule)
  const stores = yield* Layer.build(MemoryStores.layer)
  const plain = Context.get(stores, EngineStore)
  const reports = Layer.succeed(EngineReports, {
    ofCommit: (_, commit) =>
      Effect.sync(() => {
        const attempt = repository.runs.find(({ headSha }) => headSha === commit)?.attempt ?? 1
        const failure = {
          check: "unit",
          test: `of ${commit}`,
          class: script.judge(MergeQueue.numberOf(commit)),
          probability: null
        }
        return { attempt, failures: [failure] }
      })
  })
  const server = (append = plain.append) => {
    const over = Context.add(stores, EngineStore, Doom.storeOf(plain, doom, append))
    return Layer.build(
      Layer.fresh(
        Layer.mergeAll(Engines.layer({ publicUrl: null, redact: (text) => text }), Queues.layer).pipe(
          Layer.provide([reports, Layer.succeed(QueueForge, forge), Layer.succeedContext(over)])
        )
      )
    )
  }
  yield* TestClock.setTime(1_000_000_000)
  let running = yield* server()
  const queues = Context.get(running, Queues)
  yield* Context.get(stores, QueueStore).setConfiguration(ref, gateFile, 0)
  yield* Effect.provide(waive(ref), stores)
  yield* Context.get(running, Engines).notice(ref, "main")
  for (const index of schedule.fates.keys()) openPull(repository, index + 1)
  doom.left = at
  const turn = Effect.map(Clock.currentTimeMillis, (now) => {
    runCi(hub, repository, script)
    MergeQueue.turn(hub, repository, now)
    runCi(hub, repository, script)
  })
  for (let step = 0; step < steps; step += 1) {
    if (schedule.isPaused && step === 2) yield* queues.pause(ref, "release", "ana")
    if (schedule.isPaused && step === 4) yield* queues.unpause(ref, "ana")
    yield* turn
    yield* Effect.exit(Context.get(running, Engines).round)
    if (doom.isDead) running = yield* server(forgets ? Doom.forgetting(plain) : plain.append)
    doom.isDead = false
    yield* TestClock.adjust("2 minutes")
  }
  const log = yield* plain.log(ref, "main", { before: null, limit: 10_000 })
  const { inflight } = yield* plain.state(ref, "main")
  const shown = (yield* Context.get(stores, QueueStore).queue(ref)).branches.flatMap(({ pullRequests }) => pullRequests)
  const events = log.map(({ event }) => event)
  return {
    points: doom.passed,
    end: {
      merged: repository.pulls.filter(({ mergedAt }) => mergedAt !== null).map(({ number }) => number),
      queued: repository.queue?.map(({ number }) => number),
      audits: events.flatMap((event) => (event.kind === "tree_audited" ? [event.outcome] : [])),
      underWay: inflight.map(({ command }) => command.kind),
      shown: shown.map(({ number }) => number)
    },
    concluded: events
      .toReversed()
      .reduce<ReadonlyArray<string>>(
        (open, event) =>
          event.kind === "group_reopened"
            ? open.filter((group) => group !== event.group)
            : event.kind === "group_concluded"
              ? [...open, event.group]
              : open,
        []
      ),
    attempts: Math.max(0, ...repository.runs.map(({ attempt }) => attempt))
  }
})

/** Long enough for the slowest schedule, with a lease that runs out meanwhile. */
const steps = 24

const end = (schedule: Schedule, at: number, forgets = false) =>
  play(schedule, at, forgets).pipe(Effect.scoped, Effect.provide([TestClock.layer(), Logger.layer([])]))

/** The faults of a run, compared with the one in which no server dies. */
const faults = Effect.fnUntraced(function* (schedule: Schedule, at: number, forgets = false) {
  const [whole, died] = yield* Effect.all([end(schedule, 0), end(schedule, at, forgets)])
  const { attempts, concluded } = died
  return [
    ...(JSON.stringify(died.end) === JSON.stringify(whole.end) ? [] : [{ whole: whole.end, died: died.end }]),
    ...(new Set(concluded).size === concluded.length ? [] : ["a group was concluded twice"]),
    ...(attempts <= 3 ? [] : [`a round ran ${attempts} times`])
  ]
})

const schedules = fc.record({
  fates: fc.array(fc.constantFrom<Fate>("green", "flaky once", "flaky", "real"), { minLength: 1, maxLength: 3 }),
  isPaused: fc.boolean()
})

const numRuns = Number(process.env["LAWS_RUNS"] ?? 40)

/** One seed, so that no change is blamed for an older fault; `LAWS_SEED` is another one. */
const seed = Number(process.env["LAWS_SEED"] ?? 1)

describe("a gate whose server dies", () => {
  it.effect("(51) every schedule ends as if no server had died, wherever one does", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(schedules, fc.integer({ min: 1, max: 90 }), (schedule, at) =>
          Effect.runPromise(Effect.map(faults(schedule, at), (found) => assert.deepStrictEqual(found, [])))
        ),
        { numRuns, seed }
      )
    )
  )

  it.effect("(51) a server that takes what was under way for done is found", () =>
    Effect.gen(function* () {
      const schedule: Schedule = { fates: ["green"], isPaused: false }
      const { points } = yield* end(schedule, 0)
      const found = yield* Effect.forEach(
        Array.from({ length: Math.min(points, 30) }, (_, index) => index + 1),
        (at) => faults(schedule, at, true)
      )
      assert.isTrue(found.some((each) => each.length > 0))
    })
  )

  it.effect("a schedule ends with every good pull request merged, and every bad one out of the queue", () =>
    Effect.gen(function* () {
      const run = yield* end({ fates: ["green", "real", "flaky once"], isPaused: true }, 0)
      assert.deepStrictEqual(run.end, {
        merged: [1, 3],
        queued: [],
        audits: ["equal", "equal"],
        underWay: [],
        shown: []
      })
      assert.isAbove(run.points, 40)
    })
  )
})
