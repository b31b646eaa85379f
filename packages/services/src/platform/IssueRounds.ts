/**
 * The use case of issues: the issue of each unhealthy test follows its test.
 *
 * See `docs/how-to/issues.md`.
 */
import { Instant, IssueDecision, type Redaction, Repository } from "@lazaret/domain"
import {
  CauseStore,
  ExecutionStore,
  FailureStore,
  IssueStore,
  type LeasedRepository,
  QuarantineStore,
  RepositoryStore,
  type StoreError,
  TestStore
} from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { EventOwners } from "../events/EventOwners.ts"
import type { ForgeError } from "../ports/Forge.ts"
import { CommitTimes, IssueTracker } from "../ports/IssueTracker.ts"
import * as IssueFacts from "./IssueFacts.ts"
import * as IssueSync from "./IssueSync.ts"
import * as IssueWork from "./IssueWork.ts"
import * as Rounds from "../background/Rounds.ts"

/**
 * The pace of issues, in milliseconds.
 *
 * **Details**
 *
 * - `pause`: the time for which changes of one repository are collected: verdicts move slowly, and each comparison asks the
 *   tracker.
 * - `again`: the time after which a repository is compared without a change: the limit of a day ends, and people close issues.
 * - `every`: the time between two rounds.
 */
export const IssuePace: Context.Reference<{
  readonly pause: number
  readonly again: number
  readonly every: number
}> = Context.Reference("@lazaret/services/IssuePace", {
  defaultValue: () => ({ pause: 5 * Instant.minute, again: Instant.hour, every: 10 * Instant.second })
})

/** How issues are written: the public address of the service, null when it is not known, and what removes secrets. */
export interface IssueOptions {
  readonly publicUrl: string | null
  readonly redact: Redaction.Redact
}

/**
 * Keeps the issues of tests.
 *
 * **Laws**
 *
 * - *One issue.* A test has one issue, also when the tracker has carried out a request without an answer, or the process has died
 *   before it stored the answer: each comparison reads the issues of the service first, and takes over those that it does not know.
 * - *One at a time.* One process compares a repository, however many there are.
 * - *Nothing is lost.* A comparison that fails is repeated; the tracker may be down for days. The failure is shown.
 * - *Bounded.* A comparison opens and reopens at most the issues that the limit of the day leaves.
 * - A repository whose settings want no issues has no comparisons. Its issues stay as they are.
 * - No text leaves before secrets are removed.
 */
export class IssueRounds extends Context.Service<
  IssueRounds,
  {
    /** Requests a comparison after an upload; without wanted issues it does nothing. */
    readonly request: (ref: Repository.RepositoryRef) => Effect.Effect<void, StoreError>
    /** Requests a comparison after a change of settings, quarantines or the removal of a test. */
    readonly requestChange: (ref: Repository.RepositoryRef) => Effect.Effect<void, StoreError>
    /** Compares the repositories that are due, and yields how many it took on. */
    readonly round: Effect.Effect<number, StoreError>
  }
>()("@lazaret/services/IssueRounds") {
  /** The use case over the storage ports and a tracker. */
  static readonly layer = (options: IssueOptions) =>
    Layer.effect(
      IssueRounds,
      Effect.gen(function* () {
        const store = yield* IssueStore
        const repositories = yield* RepositoryStore
        const tracker = yield* IssueTracker
        const { again, pause } = yield* IssuePace
        const sources: IssueFacts.Sources = {
          tests: yield* TestStore,
          executions: yield* ExecutionStore,
          failures: yield* FailureStore,
          quarantines: yield* QuarantineStore,
          causes: yield* CauseStore,
          owners: yield* EventOwners,
          times: yield* CommitTimes
        }

        const soon = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
          yield* store.request(ref, (yield* Clock.currentTimeMillis) + pause)
        })

        const isOn = (ref: Repository.RepositoryRef) =>
          Effect.map(repositories.get(ref), (found) => Option.isSome(found) && found.value.settings.issues !== "off")

        const request = Effect.fn("IssueRounds.request")(function* (ref: Repository.RepositoryRef) {
          if (yield* isOn(ref)) yield* soon(ref)
        })

        const requestChange = Effect.fn("IssueRounds.requestChange")(function* (ref: Repository.RepositoryRef) {
          if ((yield* isOn(ref)) || (yield* store.list(ref)).length > 0) yield* soon(ref)
        })

        /** Compares a repository, and yields whether it is to be compared again without a request. */
        const compare = Effect.fnUntraced(function* (leased: LeasedRepository) {
          const { ref } = leased
          const found = yield* repositories.get(ref)
          if (Option.isNone(found)) return false
          const { settings } = found.value
          const isWanted = settings.issues !== "off"
          const known = yield* store.list(ref)
          if (!isWanted && !known.some(({ testName }) => testName === "")) return false
          const desk: IssueWork.Desk = {
            tracker,
            store,
            leased,
            sources,
            setting: { ref, ...options },
            question: { ref, settings, now: yield* Clock.currentTimeMillis }
          }
          const records = isWanted ? yield* IssueSync.follow(desk, known) : known
          const subjects = yield* IssueFacts.subjects(sources, desk.question, records)
          const rules = { wanted: settings.issues, policy: Repository.policies(settings).issues }
          const actions = IssueDecision.decide(subjects, desk.question.now, rules)
          const byTest = new Map(subjects.map((each) => [each.testId, each]))
          const refused = yield* IssueWork.carryOut(desk, actions, byTest)
          const refusedLater = isWanted ? yield* IssueWork.bringUpToDate(desk, subjects, { actions, rules }) : null
          // Fail after all other issues are in sync: the failure is shown, and the round is repeated.
          const failure = refused ?? refusedLater
          if (failure !== null) return yield* failure
          return isWanted
        })

        const settle = Effect.fnUntraced(function* (leased: LeasedRepository) {
          const result = yield* Effect.result(compare(leased))
          const checkedAt = yield* Clock.currentTimeMillis
          const againAt = checkedAt + pause
          if (Result.isSuccess(result)) {
            const done = { attempts: 0, failure: null, checkedAt, nextAt: checkedAt + again, againAt }
            return yield* store.settle(leased, result.success ? done : null)
          }
          const failure = sentenceOf(result.failure)
          yield* Effect.logWarning(`The issues of tests could not be compared (${failure})`)
          const attempts = leased.attempts + 1
          const nextAt = retryAt(result.failure, leased.attempts, checkedAt, again)
          return yield* store.settle(leased, { attempts, failure, checkedAt, nextAt, againAt })
        })

        const round = yield* Rounds.ofLeases({
          lease: store.lease,
          leaseTime,
          atOnce,
          work: settle,
          failure: "The issues of tests could not be compared",
          about: ({ ref }) => ({ repository: Repository.key(ref) })
        })

        return IssueRounds.of({ request, requestChange, round })
      })
    ).pipe(Layer.provide(EventOwners.layer))

  /** Compares in rounds. */
  static readonly layerRounds = Rounds.layer(IssueRounds, IssuePace, "The issues of tests could not be compared")
}

/** A lease outlives the slowest comparison: ten pages of issues, and some hundred writes. */
const leaseTime = 30 * Instant.minute
const atOnce = 4

const sentenceOf = (error: ForgeError | StoreError): string =>
  error._tag === "ForgeError" ? `${error.operation}: ${error.message}` : error.message

/** A refusal lasts until a person changes something; anything else is repeated soon. Nothing is given up. */
const retryAt = (error: ForgeError | StoreError, attempts: number, now: number, again: number): Instant.Instant => {
  if (error._tag === "ForgeError" && (error.reason === "refused" || error.reason === "not_installed"))
    return now + again
  const soonest = now + Math.max(Instant.minute, Rounds.pauseAfter(attempts))
  return error._tag === "ForgeError" ? Math.max(error.retryAt ?? 0, soonest) : soonest
}
