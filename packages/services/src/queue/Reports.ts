/** The judged failures of a commit, as a merge queue reads them. */
import type { Repository } from "@lazaret/domain"
import { CheckMatch, EngineConfiguration } from "@lazaret/queue"
import type { StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Result } from "effect"
import { Triages } from "../failure/Triages.ts"
import * as Reading from "./Reading.ts"

/** The source of the failures that are judged. */
export class Reports extends Context.Service<
  Reports,
  {
    /** The failures of the latest attempt on a commit in each required check; null when no report of it is known. */
    readonly ofCommit: (
      ref: Repository.RepositoryRef,
      commit: string,
      configuration: EngineConfiguration.EngineConfiguration
    ) => Effect.Effect<Reading.Reports | null, StoreError>
  }
>()("@lazaret/services/Reports") {
  /** The verdicts of triage. */
  static readonly layer = Layer.effect(
    Reports,
    Effect.map(Triages, ({ list }) => ({
      ofCommit: Effect.fnUntraced(function* (ref, commit, configuration) {
        // A page holds more failed tests than a flaky commit has (`FailureClass.Policy.mostFlakyTests`).
        const found = yield* Effect.result(list(ref, { _tag: "Commit", commit }, {}))
        if (Result.isSuccess(found)) {
          const { listing, runs } = found.success
          if (runs.length === 0) return null
          const attempt = runs.reduce((latest, { runAttempt }) => Math.max(latest, runAttempt), 1)
          const jobs = [
            ...new Map(
              runs.map(({ jobName, pipelineName }) => [`${pipelineName} / ${jobName}`, { pipelineName, jobName }])
            ).values()
          ]
          const matches = CheckMatch.of(EngineConfiguration.requiredOf(configuration), jobs)
          return { attempt, failures: Reading.failuresOf(listing.rows, matches, configuration.failures), matches }
        }
        // The request is always valid; an unknown commit has no failures.
        return found.failure._tag === "StoreError" ? yield* found.failure : null
      })
    }))
  )
}
