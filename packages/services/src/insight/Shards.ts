/** The use cases of shards: how long pieces of a test suite take, and which of them each shard runs. */
import { Instant, Repository, ShardPlan, ShardWeight, Steps, TestList, Text } from "@lazaret/domain"
import { type FixedPlan, RepositoryStore, ShardStore, Slices, type StoreError, TestStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { ShardPlanDiffers } from "../answer/ServiceError.ts"

/** The pieces of a suite, and the job whose durations are preferred; null for those of all jobs. */
export interface WeightRequest {
  readonly piece: ShardWeight.Piece
  readonly names: ReadonlyArray<string>
  readonly jobName: string | null
}

/**
 * The request of one shard.
 *
 * **Details**
 *
 * `index` counts from 1. `seconds` are durations that all shards of the run know, in the order of `names`; null for recorded ones.
 */
export interface ShareRequest extends WeightRequest {
  readonly runId: string
  readonly jobName: string
  readonly total: number
  readonly index: number
  readonly seconds: ReadonlyArray<number> | null
}

/** The share of a shard: the names that it runs, and how long they take. `isNew`: the request fixed the plan; `gain` is that of the plan. */
export interface Share {
  readonly names: ReadonlyArray<string>
  readonly seconds: number
  readonly isNew: boolean
  readonly known: number
  readonly gain: ShardPlan.Gain
}

/** Answers shards. */
export class Shards extends Context.Service<
  Shards,
  {
    /** The duration of each piece from the last 30 days of the default branch. Nothing is stored. */
    readonly weigh: (
      ref: Repository.RepositoryRef,
      request: WeightRequest
    ) => Effect.Effect<ShardWeight.Weighed, StoreError>
    /** The share of a shard: by the plan of its run and job, which the first shard fixes. */
    readonly share: (
      ref: Repository.RepositoryRef,
      request: ShareRequest
    ) => Effect.Effect<Share, ShardPlanDiffers | StoreError>
  }
>()("@lazaret/services/Shards") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Shards,
    Effect.gen(function* () {
      const tests = yield* TestStore
      const store = yield* ShardStore

      const repositories = yield* RepositoryStore
      const copies = new Map<string, Copy>()

      /** The tests of a job; all shards of a run ask for the same ones, which are kept until the repository changes or a day ends. */
      const timedOf = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, jobName: string | null) {
        const now = yield* Clock.currentTimeMillis
        const version = `${Option.getOrNull(yield* repositories.version(ref))} ${Instant.endOfDay(now)}`
        const key = `${Repository.key(ref)}\0${jobName ?? ""}`
        const held = copies.get(key)
        if (held?.version === version) return held.tests
        const { rows } = yield* tests.list(ref, TestList.inAnyOrder, now)
        const known = yield* Slices.steps(timed(rows, jobName))
        copies.delete(key)
        copies.set(key, { version, tests: known })
        for (const oldest of [...copies.keys()].slice(0, Math.max(0, copies.size - mostCopies))) copies.delete(oldest)
        return known
      })

      const weigh = Effect.fn("Shards.weigh")(function* (
        ref: Repository.RepositoryRef,
        { jobName, names, piece }: WeightRequest
      ) {
        const known = yield* timedOf(ref, jobName)
        return yield* Slices.steps(ShardWeight.weighing(names, piece, known))
      })

      const share = Effect.fn("Shards.share")(function* (ref: Repository.RepositoryRef, request: ShareRequest) {
        const { index, names, seconds } = request
        const given = seconds === null ? null : names.map((name, at) => ({ name, seconds: seconds[at] ?? 0 }))
        const { known, units } =
          given === null ? yield* weigh(ref, request) : { units: given, known: new Set(names).size }
        const at = yield* Clock.currentTimeMillis
        const { isNew, plan } = yield* store.fix(ref, { ...request, units, at, isAlone: given !== null })
        yield* requireSame(ref, plan, request)
        const assignment = ShardPlan.assignmentOf(names, plan.shards)
        const shard = ShardPlan.ofCount(units, assignment, plan.total)[index - 1]
        return {
          names: shard?.names ?? [],
          seconds: shard?.seconds ?? 0,
          isNew,
          known,
          gain: ShardPlan.gain(units, assignment, plan.total)
        }
      })

      return Shards.of({ weigh, share })
    })
  )
}

/** The timed tests of a job in one version of its repository. */
interface Copy {
  readonly version: string
  readonly tests: ReadonlyArray<ShardWeight.TimedTest>
}

/** Two lists of 200,000 tests take some 40 MB. */
const mostCopies = 2

/**
 * The tests with their mean durations, in steps: in the job where they ran in it, otherwise over all jobs. The file of a test is that of its
 * identity with most executions.
 */
function* timed(
  rows: ReadonlyArray<TestList.Entry>,
  jobName: string | null
): Steps.Steps<ReadonlyArray<ShardWeight.TimedTest>> {
  yield
  const byName = yield* Steps.groupBy(rows, ({ testName }) => testName)
  return yield* Steps.map(byName, perTest, ([testName, all]) => {
    const ofJob = all.filter((row) => row.jobName === jobName)
    const counted = ofJob.length === 0 ? all : ofJob
    const executions = counted.reduce((sum, row) => sum + row.executionsCount, 0)
    const seconds = counted.reduce((sum, row) => sum + (row.meanDuration ?? 0) * row.executionsCount, 0)
    const { file } = counted.reduce((most, row) => (mostExecutedFirst(row, most) < 0 ? row : most))
    return { testName, file, seconds: executions === 0 ? 0 : seconds / executions }
  })
}

const perTest = Steps.ofItems(4000)

const mostExecutedFirst = (a: TestList.Entry, b: TestList.Entry): number =>
  b.executionsCount - a.executionsCount ||
  Text.compare(a.pipelineName, b.pipelineName) ||
  Text.compare(a.jobName, b.jobName)

const requireSame = (
  { owner, repository }: Repository.RepositoryRef,
  plan: FixedPlan,
  { jobName, names, piece, runId, total }: ShareRequest
): Effect.Effect<void, ShardPlanDiffers> => {
  const differs = (of: ShardPlanDiffers["of"], planned: string, asked: string) =>
    new ShardPlanDiffers({ owner, repository, runId, jobName, of, planned, asked })
  if (plan.total !== total) return Effect.fail(differs("total", `${plan.total}`, `${total}`))
  if (plan.piece !== piece) return Effect.fail(differs("piece", plan.piece, piece))
  const listed = new Set(names).size
  return plan.listId === ShardPlan.listId(names)
    ? Effect.void
    : Effect.fail(differs("list", `${plan.shards.length}`, `${listed}`))
}
