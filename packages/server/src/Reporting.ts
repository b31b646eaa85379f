/** Reports on pull requests at the hosting platform: when they are published, and the buttons that people press there. */
import type { Redaction } from "@lazaret/domain"
import {
  checkActions,
  CommitNotice,
  CommitVerdicts,
  type Forge,
  Publications,
  Quarantines,
  Triages
} from "@lazaret/services"
import { Effect, Layer } from "effect"

/**
 * The needs of reports besides the stores: the platform, the public address of this server, and the removal of secrets.
 */
export interface Reporting {
  readonly platform: Layer.Layer<Forge>
  readonly publicUrl: string | null
  readonly redact: Redaction.Redact
}

/** Publishes in the background, and provides the use cases with what calls for a publication. */
export const layer = ({ platform, publicUrl, redact }: Reporting) =>
  Layer.mergeAll(checkActions, Publications.layerRounds).pipe(
    // Built once for the whole server: it gives notice of what the buttons change, too.
    Layer.provide(Quarantines.layer),
    Layer.provideMerge(notice),
    Layer.provide(Publications.layer({ publicUrl, redact })),
    Layer.provide(CommitVerdicts.layer),
    Layer.provide([Triages.layer, platform])
  )

const notice = Layer.effect(
  CommitNotice,
  Effect.map(Publications, ({ request, requestOpen }) => ({ notice: request, changed: requestOpen }))
)
