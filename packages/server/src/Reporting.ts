/** The actions of the server at the hosting platform: reports on pull requests, their buttons, merge queues that act, and issues. */
import {
  Audits,
  checkActions,
  CommitNotice,
  CommitVerdicts,
  EngineReports,
  Engines,
  IssueRounds,
  MergeQueues,
  Owners,
  type PublicationOptions,
  Publications,
  pullBases,
  Quarantines,
  queueCommands,
  QueueNotice,
  Triages
} from "@lazaret/services"
import { Effect, Layer } from "effect"
import { PlatformSwitch } from "./platform/PlatformSwitch.ts"

/** Publishes in the background, and provides the use cases with what calls for a publication. */
export const layer = (options: PublicationOptions) =>
  Layer.mergeAll(
    checkActions,
    queueCommands(options),
    Publications.layerRounds,
    Engines.layerRounds,
    IssueRounds.layerRounds
  ).pipe(
    // Built once for the whole server: it gives notice of what the buttons change, too.
    Layer.provide([Quarantines.layer, Audits.layer, MergeQueues.layer]),
    Layer.provideMerge(Layer.mergeAll(notice, queueNotice, pullBases)),
    Layer.provide([whileConnected, issuesWhileConnected]),
    Layer.provide([Publications.layer(options), IssueRounds.layer(options)]),
    Layer.provideMerge(engines),
    Layer.provide(Engines.layer(options)),
    Layer.provide([CommitVerdicts.layer, EngineReports.layer]),
    Layer.provide(Triages.layer),
    Layer.provide(Owners.layer)
  )

/** Without a platform that takes reports, requests are discarded: they would wait for a connection that may never come. */
const whileConnected = Layer.effect(
  Publications,
  Effect.gen(function* () {
    const { request, requestOpen, round } = yield* Publications
    const { isPublishing } = yield* PlatformSwitch
    const orElse = <A, E>(otherwise: A, effect: Effect.Effect<A, E>) =>
      Effect.flatMap(isPublishing, (is) => (is ? effect : Effect.succeed(otherwise)))
    return Publications.of({
      request: (ref, commit) => orElse(undefined, request(ref, commit)),
      requestOpen: (ref) => orElse(undefined, requestOpen(ref)),
      round: orElse(0, round)
    })
  })
)

/** Without a platform that takes issues, requests wait: they are few, and their repositories ask for issues. */
const issuesWhileConnected = Layer.effect(
  IssueRounds,
  Effect.gen(function* () {
    const all = yield* IssueRounds
    const { isPublishing } = yield* PlatformSwitch
    return IssueRounds.of({
      ...all,
      round: Effect.flatMap(isPublishing, (is) => (is ? all.round : Effect.succeed(0)))
    })
  })
)

/** Without a platform that takes checks, no engine runs. */
const engines = Layer.effect(
  Engines,
  Effect.gen(function* () {
    const all = yield* Engines
    const { isPublishing } = yield* PlatformSwitch
    return Engines.of({
      ...all,
      notice: (ref, branch) => Effect.flatMap(isPublishing, (is) => (is ? all.notice(ref, branch) : Effect.void)),
      isSource: (ref, branch) =>
        Effect.flatMap(isPublishing, (is) => (is ? all.isSource(ref, branch) : Effect.succeed(false))),
      round: Effect.flatMap(isPublishing, (is) => (is ? all.round : Effect.succeed(0)))
    })
  })
)

/** A report of a commit may decide a merge queue, and the issues of its tests. */
const notice = Layer.effect(
  CommitNotice,
  Effect.map(Effect.all([Publications, Engines, IssueRounds]), ([{ request, requestOpen }, queues, issues]) => ({
    notice: (ref, commit) =>
      request(ref, commit).pipe(Effect.andThen(queues.notice(ref, null)), Effect.andThen(issues.request(ref))),
    changed: (ref) => Effect.andThen(requestOpen(ref), issues.requestChange(ref))
  }))
)

const queueNotice = Layer.effect(
  QueueNotice,
  Effect.map(Engines, ({ isSource, notice: look }) => ({ isSource, notice: look }))
)
