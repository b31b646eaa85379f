/** The data that reporters need to detect flaky tests themselves (our route, beyond the interface). */
import { HealthStatus, type Repository, TestIdentity, Text } from "@lazaret/domain"
import { type ActiveIdentity, RepositoryStore, type StoreError, TestStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { FlakyDetectionOff } from "../answer/ServiceError.ts"

/**
 * How much of a job's time reporters may spend on reruns. All numbers are our choice.
 *
 * **Details**
 *
 * - `newTests` (0.1), `unhealthyTests` (0.05), `retries` (0.05): shares of the test time of the job that reruns of new
 *   tests, of unhealthy tests, and of failed tests may take: a job that grows by a tenth is still accepted by its team.
 * - `minimumDurationMs` (4000): but at least this long, or small suites would never rerun anything.
 * - `minimumExecutions` (5), `maximumExecutions` (1000): the limits of the reruns of one test. After 5 clean runs its
 *   flake rate is below 45 % with 95 % confidence; more than 1000 add no information.
 */
export const budget = {
  newTests: 0.1,
  unhealthyTests: 0.05,
  retries: 0.05,
  minimumDurationMs: 4000,
  minimumExecutions: 5,
  maximumExecutions: 1000,
  maximumNameLength: TestIdentity.maximumNameLength
} as const

/**
 * The tests of a repository as a reporter needs them: names by status, each list in code-point order.
 *
 * `meanDurationMs` is the mean over the executions of the last 30 days, 0 without any.
 */
export interface FlakyDetectionContext {
  readonly existing: ReadonlyArray<string>
  readonly flaky: ReadonlyArray<string>
  readonly broken: ReadonlyArray<string>
  readonly meanDurationMs: number
}

/** The known tests of a repository, for reporters. */
export class FlakyDetection extends Context.Service<
  FlakyDetection,
  {
    /** `FlakyDetectionOff` when the repository is unknown or its flaky detection is off; reporters then do nothing. */
    readonly context: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<FlakyDetectionContext, FlakyDetectionOff | StoreError>
  }
>()("@lazaret/services/FlakyDetection") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    FlakyDetection,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const tests = yield* TestStore

      const context = Effect.fn("FlakyDetection.context")(function* (ref: Repository.RepositoryRef) {
        const repository = yield* repositories.get(ref)
        if (Option.isNone(repository) || !repository.value.settings.flakyDetection) {
          return yield* new FlakyDetectionOff({ owner: ref.owner, repository: ref.repository })
        }
        return contextOf(yield* tests.active(ref, yield* Clock.currentTimeMillis))
      })

      return FlakyDetection.of({ context })
    })
  )
}

const contextOf = (identities: ReadonlyArray<ActiveIdentity>): FlakyDetectionContext => {
  const statuses = new Map<string, HealthStatus.HealthStatus>()
  let concluded = 0
  let durationUs = 0
  for (const identity of identities) {
    const known = statuses.get(identity.testName) ?? "healthy"
    statuses.set(identity.testName, HealthStatus.worst(known, identity.healthStatus))
    concluded += identity.concluded
    durationUs += identity.durationUs
  }
  const names = [...statuses.keys()].toSorted(Text.compare)
  const having = (status: HealthStatus.HealthStatus) => names.filter((name) => statuses.get(name) === status)
  return {
    existing: names,
    flaky: having("flaky"),
    broken: having("broken"),
    meanDurationMs: concluded === 0 ? 0 : durationUs / concluded / 1000
  }
}
