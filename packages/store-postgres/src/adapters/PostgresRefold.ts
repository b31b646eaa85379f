/** Changes of settings, made to hold for everything that is kept. */
import type { HealthPolicy } from "@lazaret/domain"
import { Effect, Equal, Layer } from "effect"
import * as Head from "../repository/Head.ts"
import * as Session from "../repository/Session.ts"
import { PostgresClient } from "../database/PostgresClient.ts"
import * as Recalculation from "../append/Recalculation.ts"
import { Refold } from "./Refold.ts"
import * as RepositorySettings from "../repository/RepositorySettings.ts"

/** Computes anew what a change of settings moves: nothing where it only names or shows things differently. */
export const layer: Layer.Layer<Refold, never, PostgresClient> = Layer.effect(
  Refold,
  Effect.map(PostgresClient, ({ sql }) =>
    Refold.of({
      around: (repositoryId, change) =>
        Effect.gen(function* () {
          const before = yield* Session.open(sql, repositoryId)
          const changed = yield* change
          const settings = yield* RepositorySettings.select(sql, repositoryId)
          const session = { ...before, policies: settings.policies, defaultBranch: settings.defaultBranch }
          // Search holds figures that follow from thresholds: it reads them again.
          yield* Head.markRecalculated(sql, repositoryId, session.head)
          if (!Equal.equals(folded(before), folded(session))) yield* Recalculation.all(session)
          else if (!Equal.equals(sorted(before), sorted(session))) yield* Recalculation.resort(session, [])
          yield* Head.save(sql, repositoryId, session.head)
          return changed
        })
    })
  )
)

/** What the fold reads of a policy; the rest is read with every question. */
const folded = ({ policies: { health } }: Session.Session): Partial<HealthPolicy.HealthPolicy> => ({
  rememberedCommits: health.rememberedCommits,
  episodeDays: health.episodeDays,
  recoveryPasses: health.recoveryPasses,
  recoveryCommits: health.recoveryCommits,
  brokenCommits: health.brokenCommits,
  cleanPasses: health.cleanPasses,
  cleanDays: health.cleanDays
})

/** What decides which executions count. */
const sorted = ({ defaultBranch, policies: { outage } }: Session.Session) => ({ defaultBranch, ...outage })
