/** Reports on pull requests at the hosting platform: when they are published, and the buttons that people press there. */
import {
  checkActions,
  CommitNotice,
  CommitVerdicts,
  Owners,
  type PublicationOptions,
  Publications,
  Quarantines,
  Triages
} from "@lazaret/services"
import { Effect, Layer } from "effect"
import { PlatformSwitch } from "./github/PlatformSwitch.ts"

/** Publishes in the background, and provides the use cases with what calls for a publication. */
export const layer = (options: PublicationOptions) =>
  Layer.mergeAll(checkActions, Publications.layerRounds).pipe(
    // Built once for the whole server: it gives notice of what the buttons change, too.
    Layer.provide(Quarantines.layer),
    Layer.provideMerge(notice),
    Layer.provide(whileConnected),
    Layer.provide(Publications.layer(options)),
    Layer.provide(CommitVerdicts.layer),
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

const notice = Layer.effect(
  CommitNotice,
  Effect.map(Publications, ({ request, requestOpen }) => ({ notice: request, changed: requestOpen }))
)
