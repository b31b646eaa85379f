/** Applies changed settings to all stored executions. */
import { Effect, Equal, Layer, Record } from "effect"
import * as Head from "../repository/Head.ts"
import * as Session from "../repository/Session.ts"
import { PostgresClient } from "../database/PostgresClient.ts"
import * as Recalculation from "../append/Recalculation.ts"
import { Refold } from "./Refold.ts"
import * as RepositorySettings from "../repository/RepositorySettings.ts"

/**
 * Recomputes what depends on a changed setting. A setting that only changes names or the display recomputes nothing.
 */
export const layer: Layer.Layer<Refold, never, PostgresClient> = Layer.effect(
  Refold,
  Effect.map(PostgresClient, ({ sql }) =>
    Refold.of({
      around: (repositoryId, change) =>
        Effect.gen(function* () {
          const before = yield* Session.open(sql, repositoryId)
          const changed = yield* change
          const settings = yield* RepositorySettings.select(sql, repositoryId)
          const session = { ...before, ...settings }
          // The search columns depend on thresholds: the new version makes search reload them.
          yield* Head.markRecalculated(sql, repositoryId, session.head)
          if (!Equal.equals(foldSettings(before), foldSettings(session))) yield* Recalculation.all(session)
          else if (!Equal.equals(runSettings(before), runSettings(session)))
            yield* Recalculation.reclassify(session, [])
          yield* Head.save(sql, repositoryId, session.head)
          return changed
        })
    })
  )
)

/** The settings that the fold uses. The rest is applied when a query is answered. */
const foldSettings = ({ policies: { health }, settings: { flakinessEvidence } }: Session.Session) => {
  const ofAnswers = new Set(["activeDays", "confidenceHigh", "confidenceMedium", "impactHigh", "impactMedium"])
  return { ...Record.filter(health, (_, field) => !ofAnswers.has(field)), flakinessEvidence }
}

/** The settings that decide which executions count. */
const runSettings = ({ defaultBranch, policies: { outage } }: Session.Session) => ({ defaultBranch, ...outage })
