/** A gate on a simulated GitHub whose merge queue and CI a test moves, over stores that outlive its servers. */
import type { Repository } from "@lazaret/domain"
import type { FailureClass } from "@lazaret/queue"
import { BranchRules, type Hub, MergeQueue, Workflows } from "@lazaret/forge-simulated"
import { EngineReports, Engines, Queues } from "@lazaret/services"
import { EngineStore, MemoryStores, QueueStore, type Stores } from "@lazaret/store"
import { Clock, Context, type Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { asApp, layer as platform, ref, started } from "./connection.ts"

/** The result of the job `unit` of a pull request's group; null: it goes on, or never starts. */
export interface Ci {
  (number: number, attempt: number): "success" | "failure" | "never" | null
}

/** The class of the failures of a pull request. */
export interface Judge {
  (number: number): FailureClass.FailureClass
}

/** The script of a test, which it may change. */
export interface Script {
  ci: Ci
  judge: Judge
}

/** The file of a gate that requires the check `unit`, and runs flaky failures again. */
export const gateFile =
  "merge_queue: {mode: gate, shadow: false, required_checks: [unit], rerun: {per_round: 2, per_pull_request: 4}}\n"

/** Lets a gate act: what it needs is not seen in these tests. */
export const waive = (of: Repository.RepositoryRef) => {
  const causes = [{ kind: "trial_waived", reason: "a test", by: "somebody" } as const]
  return EngineStore.use((store) => store.append(of, "main", { at: 0, causes, decide: () => ({ events: [] }) }))
}

/** The last of the checks of the queue on a commit, and how many there are. */
const ownChecks = ({ checkRuns }: Hub.Repository, sha: string) =>
  checkRuns.filter(({ headSha, members }) => headSha === sha && members["name"] === "lazaret/queue")

/** Starts and ends the jobs of every group that the queue has built, as the script says. */
export const runCi = (hub: Hub.Hub, repository: Hub.Repository, { ci }: Script): void => {
  for (const { group, number } of repository.queue ?? []) {
    const isKnown =
      group === null || group.isLost === true || repository.runs.some(({ headSha }) => headSha === group.id)
    if (isKnown || ci(number, 1) === "never") continue
    Workflows.start(hub, repository, { headSha: group.id, event: "merge_group", jobs: [{ name: "unit" }] })
  }
  Workflows.settle(hub, repository)
  for (const run of repository.runs.filter(({ event }) => event === "merge_group")) {
    const conclusion = run.status === "completed" ? null : ci(MergeQueue.numberOf(run.headSha), run.attempt)
    if (conclusion === null || conclusion === "never") continue
    Workflows.end(hub, repository, run, { name: "unit", conclusion })
  }
}

/** A started platform with pull requests in its queue, and a gate over it. */
export const start = Effect.fnUntraced(function* (script: Script) {
  const { github, repository } = yield* started
  const { hub } = github.server
  repository.queue = []
  github.grant({ contents: "write" })
  repository.branchRules?.push(BranchRules.requiredChecks(github), BranchRules.mergeQueue)
  const stores = yield* Layer.build(MemoryStores.layer)
  const reports = Layer.succeed(EngineReports, {
    ofCommit: (_, commit) =>
      Effect.sync(() => {
        const attempt = repository.runs.find(({ headSha }) => headSha === commit)?.attempt ?? 1
        const kind = script.judge(MergeQueue.numberOf(commit))
        return {
          attempt,
          failures: [{ check: "unit", test: `of ${MergeQueue.numberOf(commit)}`, class: kind, probability: null }]
        }
      })
  })
  /** A server over the stores: another one stands for a restart. */
  const server = Effect.map(
    Layer.build(
      Layer.fresh(
        Layer.mergeAll(Engines.layer({ publicUrl: null, redact: (text) => text }), Queues.layer).pipe(
          Layer.provide([reports, platform(github, asApp(github)), Layer.succeedContext(stores)])
        )
      )
    ),
    (context) => ({
      round: Effect.provide(
        Effect.flatMap(Engines, (engines) => engines.round),
        context
      ),
      run: <A, E>(effect: Effect.Effect<A, E, Engines | Queues | Stores.Stores>) =>
        Effect.provide(effect, Context.merge(stores, context))
    })
  )
  const first = yield* server
  // The limits of the platform are by the clock of this machine.
  yield* TestClock.setTime(Date.now())
  yield* first.run(QueueStore.use((store) => store.setConfiguration(ref, gateFile, 0)))
  yield* first.run(waive(ref))
  yield* first.run(Engines.use((engines) => engines.notice(ref, "main")))

  /** The platform's queue and its CI go on, at the time of the test. */
  const turn = Effect.map(Clock.currentTimeMillis, (now) => {
    runCi(hub, repository, script)
    const outcome = MergeQueue.turn(hub, repository, now)
    runCi(hub, repository, script)
    return outcome
  })
  /** Time passes in steps, without any delivery: the platform goes on, a step passes, and the gate looks. */
  const steps = Effect.fnUntraced(function* (count: number, step: Duration.Input) {
    for (let done = 0; done < count; done += 1) {
      yield* turn
      yield* TestClock.adjust(step)
      yield* first.round
    }
    yield* turn
  })
  const minutes = (count: number) => steps(count, "1 minute")
  /** Opens pull requests and puts them into the queue; their heads have passed. */
  const enter = (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const head = `head-${repository.pulls.length + 1}`
      const pull = github.openPull(repository, { head })
      const run = Workflows.start(hub, repository, { headSha: head, event: "pull_request", jobs: [{ name: "unit" }] })
      Workflows.end(hub, repository, run, { name: "unit", conclusion: "success" })
      MergeQueue.enter(repository, pull.number)
    }
  }
  const state = first.run(EngineStore.use((store) => store.state(ref, "main")))
  const log = Effect.map(
    first.run(EngineStore.use((store) => store.log(ref, "main", { before: null, limit: 1000 }))),
    (events) => events.toReversed().flatMap(({ event }) => (event.kind === "trial_waived" ? [] : [event]))
  )
  const merged = () => repository.pulls.filter(({ mergedAt }) => mergedAt !== null).map(({ number }) => number)
  const queued = () => (repository.queue ?? []).map(({ number }) => number)
  return {
    github,
    repository,
    server,
    first,
    stores,
    turn,
    steps,
    minutes,
    enter,
    state,
    log,
    merged,
    queued,
    ownChecks: (sha: string) => ownChecks(repository, sha)
  }
})

/** A gate that was started. */
export type Gate = Effect.Success<ReturnType<typeof start>>
