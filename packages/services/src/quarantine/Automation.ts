/**
 * The use case of automatic quarantine: which tests the service quarantines and releases by itself (see
 * `docs/how-to/auto-quarantine.md`).
 */
import { type Instant, Page, type Quarantine, Repository } from "@lazaret/domain"
import {
  ExecutionStore,
  QuarantineStore,
  RepositoryStore,
  Slices,
  type StoreError,
  StressStore,
  TestStore
} from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Schedule } from "effect"
import type { Evaluation, Ports } from "./Evaluation.ts"
import { quarantine } from "./Quarantining.ts"
import { release } from "./Releasing.ts"
import { CommitNotice } from "../ports/CommitNotice.ts"
import { NewId } from "../ports/NewId.ts"

/** The changes of one evaluation of a repository. */
export interface Actions {
  readonly quarantined: ReadonlyArray<Quarantine.Quarantine>
  readonly released: ReadonlyArray<Quarantine.Quarantine>
}

/** Names of tests. */
export type Names = Iterable<string>

/**
 * Quarantines flaky tests and releases recovered ones, where the settings of a repository say so.
 *
 * **Laws**
 *
 * - In 24 hours at most the budget of quarantines starts, however many processes evaluate concurrently.
 * - A test that a person has released, or whose quarantine has ended by itself, is not quarantined again before the rest
 *   period of the policy ends.
 * - Only quarantines of the automation itself are released.
 * - A repeated evaluation changes nothing.
 * - The event of every action holds the facts that decided it.
 */
export class Automation extends Context.Service<
  Automation,
  {
    /** Evaluates one repository: all tests, or only those with these names. */
    readonly evaluate: (ref: Repository.RepositoryRef, testNames?: Names) => Effect.Effect<Actions, StoreError>
    /** Evaluates all repositories. A repository that fails is logged and skipped. */
    readonly evaluateAll: Effect.Effect<void, StoreError>
    /**
     * Schedules an evaluation in the background, after a running evaluation of the repository: of the tests of an upload, or
     * of all tests. A failure is logged, and the next round tries again.
     */
    readonly notice: (ref: Repository.RepositoryRef, testNames?: Names) => Effect.Effect<void>
  }
>()("@lazaret/services/Automation") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    Automation,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const quarantines = yield* QuarantineStore
      const ports: Ports = {
        tests: yield* TestStore,
        executions: yield* ExecutionStore,
        quarantines,
        stress: yield* StressStore,
        newId: yield* NewId,
        changed: (yield* CommitNotice).changed
      }
      const scope = yield* Effect.scope

      const evaluate = Effect.fn("Automation.evaluate")(function* (ref: Repository.RepositoryRef, testNames?: Names) {
        const found = yield* repositories.get(ref)
        if (Option.isNone(found)) return none
        const { settings } = found.value
        if (!removes(settings) && settings.autoQuarantine === "off") return none
        const names = testNames === undefined ? null : yield* distinct(testNames)
        const now = yield* Clock.currentTimeMillis
        const evaluation: Evaluation = {
          ref,
          settings,
          policies: Repository.policies(settings),
          now,
          isSelected: (testName) => names === null || names.has(testName),
          automatic: yield* automatic(ports, ref, now)
        }
        const released = removes(settings) ? yield* release(ports, evaluation) : []
        const quarantined =
          settings.autoQuarantine === "off" ? [] : yield* quarantine(ports, evaluation, settings.autoQuarantine)
        return { quarantined, released }
      })

      const safely = (ref: Repository.RepositoryRef, testNames?: Names) =>
        evaluate(ref, testNames).pipe(
          Effect.catchCause((cause) => Effect.logWarning("The automation failed to evaluate a repository", cause)),
          Effect.annotateLogs({ repository: Repository.key(ref) })
        )

      const evaluateAll = Effect.flatMap(repositories.list, (all) =>
        Effect.forEach(all, ({ owner, repository }) => safely({ owner, repository }), { discard: true })
      )

      /** Names that the next evaluation of a repository takes, while one runs; a repository without a running one is absent. */
      const waiting = new Map<string, Array<Names | undefined>>()
      const drain = (ref: Repository.RepositoryRef, key: string): Effect.Effect<void> =>
        Effect.suspend(() => {
          const lists = waiting.get(key)
          if (lists === undefined || lists.length === 0) return Effect.sync(() => waiting.delete(key))
          waiting.set(key, [])
          const named = lists.filter((names) => names !== undefined)
          const names = named.length === lists.length ? allOf(named) : undefined
          return Effect.andThen(safely(ref, names), drain(ref, key))
        }).pipe(Effect.asVoid)

      const notice = (ref: Repository.RepositoryRef, testNames?: Names): Effect.Effect<void> =>
        Effect.suspend(() => {
          const key = Repository.key(ref)
          const running = waiting.get(key)
          if (running === undefined) waiting.set(key, [testNames])
          else running.push(testNames === undefined ? undefined : [...testNames])
          return running === undefined ? Effect.asVoid(Effect.forkIn(drain(ref, key), scope)) : Effect.void
        })

      return Automation.of({ evaluate, evaluateAll, notice })
    })
  )

  /**
   * Evaluates every test of every repository soon after the start and then each hour. Without an upload, a test may
   * have been recovered for long enough or become old enough, and budget may be free again. Also covers uploads whose
   * evaluation was lost when a process died.
   */
  static readonly layerRounds = Layer.effectDiscard(
    Effect.flatMap(Automation, ({ evaluateAll }) => {
      const round = Effect.catchCause(evaluateAll, (cause) => Effect.logWarning("The automation failed", cause))
      return round.pipe(Effect.repeat(Schedule.spaced("1 hour")), Effect.delay("1 minute"), Effect.forkScoped)
    })
  )
}

function* allOf(lists: ReadonlyArray<Names>): Generator<string> {
  for (const names of lists) yield* names
}

const distinct = Effect.fnUntraced(function* (names: Names) {
  const found = new Set<string>()
  yield* Slices.visit(names, 16_384, (name) => found.add(name))
  return found
})

const none: Actions = { quarantined: [], released: [] }

const removes = ({ autoQuarantine, autoRemoval }: Repository.RepositorySettings): boolean =>
  autoRemoval ?? autoQuarantine !== "off"

const automatic = ({ quarantines }: Ports, ref: Repository.RepositoryRef, now: Instant.Instant) =>
  Effect.map(
    quarantines.page(ref, { branch: null, testId: null, source: "auto", from: Page.start, limit: null, now }),
    ({ rows }) => rows
  )
