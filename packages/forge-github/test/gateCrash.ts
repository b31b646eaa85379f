/** Crashes of a server at points of a gate, over the merge queue of the simulated GitHub without its network. */
import { Hub, MergeQueue, Workflows } from "@lazaret/forge-simulated"
import { EngineReports, Engines, Forge, QueueForge, Queues, type Removal } from "@lazaret/services"
import { EngineStore, MemoryStores, QueueStore, type Stores } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Logger, Option, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { ref } from "./connection.ts"
import { Doom } from "@lazaret/forge-conformance"
import { gateFile, runCi, type Script, waive } from "./gate.ts"

/** The results of the job of a pull request's groups. */
export type Fate = "green" | "flaky once" | "flaky" | "real"

/**
 * A schedule.
 *
 * **Details**
 *
 * - `fates`: of pull requests 1, 2 and so on. `pause`: somebody pauses and resumes meanwhile, in a `long` one the platform gives up.
 * - `lost`: the pull request whose first group gets no run. `conflicting`: the one whose entry the platform keeps.
 * - `requeued`: the one that a person takes out and puts in again before its job has ended, so that the next one passes without it.
 * - `isStuck`: the platform builds groups, and merges and evicts nobody.
 */
export interface Schedule {
  readonly fates: ReadonlyArray<Fate>
  readonly pause?: "short" | "long" | null
  readonly lost?: number
  readonly conflicting?: number
  readonly requeued?: number
  readonly isStuck?: boolean
}

const scriptOf = ({ fates, requeued }: Schedule, step: () => number): Script => ({
  ci: (number, attempt) => {
    const fate = fates[number - 1]
    if (number === requeued && step() < 6) return null
    return fate === "green" || (fate === "flaky once" && attempt > 1) ? "success" : "failure"
  },
  judge: (number) => (fates[number - 1] === "real" ? "real" : "flaky")
})

const removals: Readonly<Record<string, Removal["reason"]>> = {
  failed_checks: "ci_failure",
  checks_timed_out: "ci_timeout",
  merge_conflict: "conflict",
  manual: "manual",
  merged: "merged"
}

/** A repository with a merge queue, and its platform: every write has its effect between two points. */
const platformOf = (doom: Doom.Doom) => {
  const hub = Hub.make()
  const repository: Hub.Repository = {
    ...Hub.emptyRepository({ id: 1, owner: "acme", name: "widgets" }),
    trees: new Map(),
    queue: []
  }
  const done = { entered: new Array<number>(), cancelled: new Array<string>() }
  const comments = new Map<number, Array<string>>()
  const write = <A>(effect: () => A) => Doom.between(doom)(Effect.sync(effect))
  const removalOf = (number: number): Removal | null => {
    const last = repository.removals?.findLast((each) => each.number === number)
    return last === undefined
      ? null
      : { at: Date.parse(last.at), reason: removals[last.reason] ?? "other", by: last.by }
  }
  const pull = ({ base, head, mergeCommit, mergeable, mergedAt, number, state }: Hub.Pull) => ({
    number,
    state: mergedAt === null ? state : ("merged" as const),
    draft: false,
    head: head.sha,
    base: base.ref,
    mergeable: mergeable !== "CONFLICTING",
    approved: true,
    labels: [],
    landed: mergeCommit === null ? null : { sha: mergeCommit, tree: MergeQueue.treeOf(repository, mergeCommit) },
    removal: removalOf(number)
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
        if (runs.length === 0) return []
        const conclusion = runs.at(-1)?.members["conclusion"]
        const state = conclusion === "success" || conclusion === "failure" ? conclusion : "pending"
        return [{ name: "unit", state, attempt: runs.length }]
      }),
    queue: () =>
      Effect.sync(() =>
        Option.some(
          (repository.queue ?? []).map((entry) => ({
            number: entry.number,
            head: `head-${entry.number}`,
            isUnmergeable: MergeQueue.isUnmergeable(repository, entry),
            group: entry.group === null ? null : { ...entry.group, tree: MergeQueue.treeOf(repository, entry.group.id) }
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
    cancelChecks: (_, sha) =>
      write(() => {
        const run = repository.runs.find(({ headSha }) => headSha === sha)
        if (run === undefined) return false
        if (run.status !== "completed" && run.isCancelling !== true) {
          run.isCancelling = true
          done.cancelled.push(`#${MergeQueue.numberOf(sha)} ${MergeQueue.treeOf(repository, sha)}`)
        }
        return true
      }),
    enqueue: (_, { number }) =>
      write(() => {
        if (repository.queue?.every((entry) => entry.number !== number)) done.entered.push(number)
        MergeQueue.enter(repository, number)
      }),
    dequeue: (_, number) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) =>
        write(() => MergeQueue.leave(repository, number, { at, reason: "manual", by: "lazaret[bot]" }))
      )
  })
  const notesOf = (number: number) => comments.get(number) ?? []
  const unused = () => Effect.die("not used")
  const notes = Forge.of({
    notes: (_, number, marker) =>
      Effect.sync(() => notesOf(number).flatMap((body, id) => (body.startsWith(marker) ? [{ id, body }] : []))),
    createNote: (_, number, body) => write(() => void comments.set(number, [...notesOf(number), body])),
    editNote: (_, number, { body, id }) => write(() => void comments.set(number, notesOf(number).with(id, body))),
    removeNote: (_, number, id) => write(() => void comments.set(number, notesOf(number).toSpliced(id, 1))),
    repository: unused,
    pullsAt: unused,
    openPulls: unused,
    publish: unused,
    rerunFailedJobs: unused
  })
  repository.branchRules?.push({
    type: "required_status_checks",
    parameters: { required_status_checks: [{ context: "lazaret/queue" }] }
  })
  return { hub, repository, forge, notes, comments, done }
}

/** The trees of groups are those of their contents: a group that is built again has the tree of one that was alike. */
const nameTrees = (repository: Hub.Repository): void => {
  const merged = repository.pulls.flatMap(({ mergedAt, number }) => (mergedAt === null ? [] : [number]))
  for (const [index, { group }] of (repository.queue ?? []).entries()) {
    const ahead = (repository.queue ?? []).slice(0, index + 1).map(({ number }) => number)
    const content = [...merged, ...ahead].toSorted((a, b) => a - b)
    if (group !== null && !repository.trees?.has(group.id)) repository.trees?.set(group.id, `tree ${content.join(" ")}`)
  }
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

/** The first words of a comment: how often jobs ran may differ when a server dies. */
const whatOf = (note: string): string =>
  /(?:left|was kept in|was put back into) the merge queue/u.exec(note)?.[0] ?? note

/** The stores of a run, and whether the next server takes what it finds under way for done. */
export interface Settings {
  readonly stores?: Effect.Effect<Context.Context<Stores.Stores>, unknown, Scope.Scope>
  readonly isForgetful?: boolean
}

const file = gateFile.replace("{mode", "{cancel_reused: true, mode")

const play = Effect.fnUntraced(function* (schedule: Schedule, at: number, settings: Settings) {
  const { isForgetful = false, stores: own = Layer.build(MemoryStores.layer) } = settings
  const doom = Doom.make()
  const { comments, done, forge, hub, notes, repository } = platformOf(doom)
  let step = 0
  const script = scriptOf(schedule, () => step)
  const stores = yield* own
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
          Layer.provide([
            reports,
            Layer.succeed(QueueForge, forge),
            Layer.succeed(Forge, notes),
            Layer.succeedContext(over)
          ])
        )
      )
    )
  }
  yield* TestClock.setTime(1_000_000_000)
  let running = yield* server()
  const queues = Context.get(running, Queues)
  yield* Context.get(stores, QueueStore).setConfiguration(ref, file, 0)
  yield* Effect.provide(waive(ref), stores)
  yield* Context.get(running, Engines).notice(ref, "main")
  for (const index of schedule.fates.keys()) openPull(repository, index + 1)
  doom.left = at
  const { conflicting, isStuck = false, lost, pause = null, requeued } = schedule
  if (lost !== undefined) MergeQueue.loseRuns(repository, lost)
  const unmergeable = repository.pulls.find(({ number }) => number === conflicting)
  if (unmergeable !== undefined) unmergeable.mergeable = "CONFLICTING"
  const turn = Effect.map(Clock.currentTimeMillis, (now) => {
    runCi(hub, repository, script)
    if (!isStuck || step === 0) MergeQueue.turn(hub, repository, now)
    nameTrees(repository)
    runCi(hub, repository, script)
    return now
  })
  for (; step < steps; step += 1) {
    if (pause !== null && step === (pause === "long" ? 0 : 2)) yield* queues.pause(ref, "release", "ana")
    if (pause === "long" && step === 3) yield* TestClock.adjust("61 minutes")
    if (pause !== null && step === 5) yield* queues.unpause(ref, "ana")
    const now = yield* turn
    if (requeued !== undefined && step === 4) {
      MergeQueue.leave(repository, requeued, { at: now, reason: "manual", by: "ada" })
      MergeQueue.enter(repository, requeued)
      yield* turn
    }
    yield* Effect.exit(Context.get(running, Engines).round)
    if (doom.isDead) running = yield* server(isForgetful ? Doom.forgetting(plain) : plain.append)
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
      shown: shown.map(({ number }) => number),
      commented: [...comments].toSorted(([a], [b]) => a - b).map(([number, of]) => [number, of.map(whatOf)] as const),
      healed: events.flatMap((event) => (event.kind === "group_healed" ? [event.checks] : [])),
      ...done
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

/** The end of a schedule in which the server dies at a point; 0: it does not. */
export const end = (schedule: Schedule, at: number, settings: Settings = {}) =>
  play(schedule, at, settings).pipe(Effect.scoped, Effect.provide([TestClock.layer(), Logger.layer([])]))

/** The end of a schedule. */
export type End = Effect.Success<ReturnType<typeof end>>

/** The faults of a run, compared with the one in which no server dies. */
export const faults = (schedule: Schedule, whole: End, at: number, settings: Settings = {}) =>
  Effect.map(end(schedule, at, settings), (died) => {
    const { attempts, concluded } = died
    const { commented } = died.end
    const found = [
      ...(JSON.stringify(died.end) === JSON.stringify(whole.end) ? [] : [{ whole: whole.end, died: died.end }]),
      ...(new Set(concluded).size === concluded.length ? [] : ["a group was concluded twice"]),
      ...commented.flatMap(([number, notes]) =>
        notes.length === 1 ? [] : [`#${number} has ${notes.length} comments`]
      ),
      ...(attempts <= 3 ? [] : [`a round ran ${attempts} times`])
    ]
    return found.map((fault) => ({ at, fault }))
  })

/** A schedule of one write of the gate: who is merged in the end, who gets a comment, and how often which write had its effect. */
export interface Case {
  readonly name: string
  readonly schedule: Schedule
  readonly merged: ReadonlyArray<number>
  readonly commented: ReadonlyArray<number>
  readonly healed?: number
  readonly entered?: ReadonlyArray<number>
  readonly cancelled?: ReadonlyArray<string>
}

/** The writes of a gate besides its checks. */
export const cases: ReadonlyArray<Case> = [
  {
    name: "failed jobs run again, and a comment says that the pull request was kept",
    schedule: { fates: ["flaky once", "green"] },
    merged: [1, 2],
    commented: [1]
  },
  {
    name: "a real failure leaves, and a comment says why",
    schedule: { fates: ["green", "real", "green"] },
    merged: [1, 3],
    commented: [2]
  },
  {
    name: "a group without a run is taken out and queued again, once",
    schedule: { fates: ["green", "green"], lost: 1 },
    merged: [1, 2],
    commented: [1],
    healed: 1,
    entered: [1]
  },
  {
    name: "the run of a group whose tree had passed is cancelled, and no other",
    schedule: { fates: ["green", "green"], requeued: 1 },
    merged: [1, 2],
    commented: [],
    cancelled: ["#1 tree 1 2"]
  },
  {
    name: "a failed pull request that the platform keeps is taken out",
    schedule: { fates: ["real"], isStuck: true },
    merged: [],
    commented: [1]
  },
  {
    name: "a conflict that the platform keeps is taken out",
    schedule: { fates: ["green", "green"], conflicting: 1 },
    merged: [2],
    commented: [1]
  },
  {
    name: "what the platform gave up on in a pause is queued again, once",
    schedule: { fates: ["green", "green"], pause: "long" },
    merged: [1, 2],
    commented: [1],
    entered: [1]
  }
]

/** The end of a case as it should be. */
export const expected = ({ cancelled = [], entered = [], healed = 0, merged, commented }: Case) => ({
  merged,
  queued: [],
  underWay: [],
  shown: [],
  commented,
  healed,
  entered,
  cancelled
})

/** The end of a run in the words of a case. */
export const found = ({ end: { cancelled, entered, healed, merged, queued, shown, commented, underWay } }: End) => ({
  merged: merged.toSorted(),
  queued,
  underWay,
  shown,
  commented: commented.map(([number]) => number),
  healed: healed.length,
  entered,
  cancelled
})
