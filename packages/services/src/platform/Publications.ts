/**
 * The use case of reporting where people look: the check of a commit, and one comment on its pull request.
 *
 * See `docs/how-to/github.md`.
 */
import { Instant, type PullHead, type Redaction, Repository } from "@lazaret/domain"
import { type LeasedPublication, PublicationStore, RepositoryStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import * as Rounds from "../background/Rounds.ts"
import { Forge, type ForgeError, type OpenPull } from "../ports/Forge.ts"
import * as FailureReport from "./FailureReport.ts"
import * as OneNote from "../answer/OneNote.ts"
import { Triages } from "../failure/Triages.ts"
import * as StressSentence from "../insight/StressSentence.ts"

/** The source of the verdicts that are published. */
export class CommitVerdicts extends Context.Service<
  CommitVerdicts,
  {
    /** The verdicts on the failures of a commit; none when no report of the commit is known that counts. */
    readonly ofCommit: (
      ref: Repository.RepositoryRef,
      commit: string
    ) => Effect.Effect<Option.Option<FailureReport.CommitFailures>, StoreError>
  }
>()("@lazaret/services/CommitVerdicts") {
  /** The verdicts of triage; those that block come first, and the rest is only counted. */
  static readonly layer = Layer.effect(
    CommitVerdicts,
    Effect.map(Effect.all([Triages, StressSentence.make]), ([{ list }, sentenceOf]) => ({
      ofCommit: Effect.fnUntraced(function* (ref, commit) {
        const found = yield* Effect.result(list(ref, { _tag: "Commit", commit }, {}))
        if (Result.isSuccess(found)) {
          const { listing, owners, runs, ...summary } = found.success
          if (runs.length === 0) return Option.none()
          const stressed = yield* sentenceOf(ref, commit)
          return Option.some({ commit, failures: listing.rows, total: listing.total, summary, owners, stressed })
        }
        // The request is always valid; an unknown commit has no verdicts.
        return found.failure._tag === "StoreError" ? yield* found.failure : Option.none()
      })
    }))
  )
}

/**
 * The pace of publications, in milliseconds.
 *
 * **Details**
 *
 * - `pause`: the time for which requests for one commit are collected, because a run uploads from many jobs.
 * - `every`: the time between two rounds.
 */
export const PublicationPace: Context.Reference<{ readonly pause: number; readonly every: number }> =
  Context.Reference<{ readonly pause: number; readonly every: number }>("@lazaret/services/PublicationPace", {
    defaultValue: () => ({ pause: 3 * Instant.second, every: 2 * Instant.second })
  })

/** How reports are published: the public address of the service, null when it is not known, and what removes secrets. */
export interface PublicationOptions {
  readonly publicUrl: string | null
  readonly redact: Redaction.Redact
}

/**
 * Publishes the verdicts of commits on the hosting platform.
 *
 * **Laws**
 *
 * - *Nothing is lost.* What is requested is published, also when the process dies or the platform fails for hours.
 * - *Idempotent.* A publication reads what the platform shows, and writes only what differs. A repetition, also after an
 *   unknown answer, changes nothing.
 * - *Coalesced.* Requests for a commit within the pause are one publication.
 * - *One comment.* A pull request has at most one comment, which follows its last head commit. It is removed when it has
 *   nothing to say.
 * - *Bounded.* `requestOpen` is one list of the platform and at most 100 commits, however many changes come within its pause.
 * - No text leaves before secrets are removed.
 */
export class Publications extends Context.Service<
  Publications,
  {
    /** Requests the publication of a commit. */
    readonly request: (ref: Repository.RepositoryRef, commit: string) => Effect.Effect<void, StoreError>
    /** Requests the publication of the head commit of every open pull request, for a change that is made now. */
    readonly requestOpen: (ref: Repository.RepositoryRef) => Effect.Effect<void, StoreError>
    /** Publishes the commits that are due, and yields how many it took on. */
    readonly round: Effect.Effect<number, StoreError>
  }
>()("@lazaret/services/Publications") {
  /** The use case over the storage ports, the verdicts and a platform. */
  static readonly layer = (options: PublicationOptions) =>
    Layer.effect(
      Publications,
      Effect.gen(function* () {
        const store = yield* PublicationStore
        const { pause } = yield* PublicationPace
        const forge = yield* Forge
        const publish = publisher(
          { verdicts: yield* CommitVerdicts, forge, repositories: yield* RepositoryStore },
          options
        )

        const request = Effect.fn("Publications.request")(function* (ref: Repository.RepositoryRef, commit: string) {
          yield* store.request(ref, commit, (yield* Clock.currentTimeMillis) + pause)
        })

        const requestOpen = Effect.fn("Publications.requestOpen")(function* (ref: Repository.RepositoryRef) {
          yield* store.request(ref, everyOpenPull, (yield* Clock.currentTimeMillis) + pausesOfOpen * pause)
        })

        /** Each head is a publication of its own, so that one that fails holds up no other. */
        const spread = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
          const heads = new Set((yield* forge.openPulls(ref)).map(({ head }) => head))
          yield* Effect.forEach(heads, (head) => request(ref, head), { discard: true })
          return true
        })

        const settle = Effect.fnUntraced(function* (leased: LeasedPublication) {
          const result = yield* Effect.result(leased.commit === everyOpenPull ? spread(leased.ref) : publish(leased))
          const now = yield* Clock.currentTimeMillis
          if (Result.isSuccess(result)) {
            yield* store.finish(leased)
            return result.success ? undefined : yield* store.request(leased.ref, leased.commit, now + nextLook)
          }
          const next = Rounds.retryAt(result.failure, { attempts: leased.attempts, most: mostAttempts, now })
          yield* logged(result.failure, next)
          return yield* next === null ? store.finish(leased) : store.defer(leased, next)
        })

        const round = yield* Rounds.ofLeases({
          lease: store.lease,
          leaseTime,
          atOnce,
          work: settle,
          failure: "A report could not be published",
          about: ({ commit, ref }) => ({ repository: Repository.key(ref), commit })
        })

        return Publications.of({ request, requestOpen, round })
      })
    )

  /** Publishes in rounds, and continues at once while commits are due. */
  static readonly layerRounds = Rounds.layer(Publications, PublicationPace, "Reports could not be published")
}

/** Stands in the place of a commit for the heads of all open pull requests; no commit has an empty name. */
const everyOpenPull = ""

/** Their pause is longer than the write that it was requested for, and than that of a person between two changes. */
const pausesOfOpen = 3

/** While jobs are missing, a commit is published again after this time: a job that never ends sends no report. */
const nextLook = 10 * Instant.minute

/** A lease outlives the slowest publication: about ten requests of a minute at most. */
const leaseTime = 15 * Instant.minute
const atOnce = 8

/** After this many failures in a row, about a day, a report is given up. */
const mostAttempts = 300

/** A repository without the app is ordinary: it is not logged for every upload. */
const logged = (error: ForgeError | StoreError, next: Instant.Instant | null) => {
  if (error._tag === "ForgeError" && error.reason === "not_installed") {
    return Effect.logDebug("A report was not published: the app is not installed")
  }
  const why = error._tag === "ForgeError" ? `${error.operation}: ${error.message}` : error.message
  const then = next === null ? "given up" : `the next attempt is at ${Instant.toIso(next)}`
  return Effect.logWarning(`A report could not be published (${why}); ${then}`)
}

interface Ports {
  readonly verdicts: CommitVerdicts["Service"]
  readonly forge: Forge["Service"]
  readonly repositories: RepositoryStore["Service"]
}

/** Publishes the check of a commit, then the comment on each of its pull requests; yields whether all jobs are over. */
const publisher =
  (ports: Ports, options: PublicationOptions) =>
  ({ commit, ref }: Pick<LeasedPublication, "commit" | "ref">): Effect.Effect<boolean, ForgeError | StoreError> =>
    Effect.gen(function* () {
      yield* takeDefaultBranch(ports, ref)
      const pulls = yield* ports.forge.pullsAt(ref, commit)
      yield* ports.repositories.recordHeads(ref, pulls.flatMap(headOf))
      const found = yield* ports.verdicts.ofCommit(ref, commit)
      const repository = yield* ports.repositories.get(ref)
      if (Option.isNone(found) || Option.isNone(repository)) return true
      const setting = { ref, ...options }
      yield* ports.forge.publish(ref, FailureReport.check(found.value, setting))
      const when = repository.value.settings.pullRequestComments
      for (const pull of pulls) {
        const body = wanted(when, found.value) ? FailureReport.comment(found.value, setting) : null
        yield* OneNote.set(ports.forge, { ref, number: pull.number, marker: FailureReport.marker }, body)
      }
      return found.value.summary.complete
    })

/** The head of a pull request by the word of the platform, which decides whether runs of a fork count. */
const headOf = ({ head: commit, number, source }: OpenPull): ReadonlyArray<PullHead.PullHead> =>
  source === null ? [] : [{ number, commit, ...source }]

/** Sets the default branch that the platform names, where nobody has set one: verdicts compare with it. */
const takeDefaultBranch = Effect.fnUntraced(function* ({ forge, repositories }: Ports, ref: Repository.RepositoryRef) {
  const known = yield* repositories.get(ref)
  if (Option.isNone(known) || known.value.settings.defaultBranch !== null) return
  const { defaultBranch } = yield* forge.repository(ref)
  yield* repositories.change(
    ref,
    (held) => (held.defaultBranch === null ? { ...held, defaultBranch } : held),
    yield* Clock.currentTimeMillis
  )
})

/** Whether there is something to say on the pull request. */
const wanted = (
  when: Repository.RepositorySettings["pullRequestComments"],
  { total }: FailureReport.CommitFailures
): boolean => when === "always" || (when === "failures" && total > 0)
