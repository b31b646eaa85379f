/** The facts on failures in PostgreSQL. */
import { CommitSummary, type FailurePrecision, FailureRecords } from "@lazaret/domain"
import { type AskedRun, type Triage, Triages, TriageStore } from "@lazaret/store"
import { Effect, Layer, Option } from "effect"
import { PostgresClient } from "../database/PostgresClient.ts"
import * as Snapshot from "../reading/Snapshot.ts"
import { RepositoryDirectory } from "../repository/RepositoryDirectory.ts"
import * as FailedExecutions from "../triage/FailedExecutions.ts"
import * as Facts from "../triage/Facts.ts"
import * as Reruns from "../triage/Reruns.ts"
import * as Signatures from "../triage/Signatures.ts"
import * as TriageRuns from "../triage/TriageRuns.ts"

/** The triage port. */
export const layer: Layer.Layer<TriageStore, never, PostgresClient | RepositoryDirectory> = Layer.effect(
  TriageStore,
  Effect.gen(function* () {
    const reader = { client: yield* PostgresClient, directory: yield* RepositoryDirectory }
    const { sql } = reader.client
    return TriageStore.of({
      failures: (ref, subject, windows) =>
        Snapshot.ofRepository<Option.Option<Triage>>(reader, "TriageStore.failures", ref, Option.none(), (id) =>
          Effect.gen(function* () {
            const place = yield* TriageRuns.placeOf(sql, id)
            const found = yield* TriageRuns.ofSubject(place, subject)
            if (found === null) return Option.none()
            const { all, commit, forks, own } = found
            const failed = yield* FailedExecutions.ofRuns(place, own)
            const questions = Triages.questionsOf(
              failed,
              all.map(({ run }) => run),
              place
            )
            return Option.some({
              identities: failed.identities,
              commit,
              runs: own.map(({ run }) => run),
              forks,
              expected: yield* Facts.expected(place, own),
              failures: yield* Facts.of({ place, windows, runs: all }, questions)
            })
          })
        ),
      asked: (ref, asked, windows) =>
        Effect.gen(function* () {
          const known = yield* Snapshot.ofRepository(
            reader,
            "TriageStore.asked",
            ref,
            null,
            Effect.fnUntraced(function* (id) {
              const place = yield* TriageRuns.placeOf(sql, id)
              const all = yield* TriageRuns.onCommit(place, asked.run.commit)
              const questions = Triages.askedOf(
                asked,
                all.map(({ run }) => run),
                place
              )
              return yield* Facts.of({ place, windows, runs: all, asked }, questions)
            })
          )
          return known ?? unknown(asked)
        }),
      signatures: (ref, wanted) =>
        Snapshot.ofRepository<ReadonlyArray<ReadonlyArray<string>>>(
          reader,
          "TriageStore.signatures",
          ref,
          wanted.map(() => []),
          (id) => Effect.flatMap(TriageRuns.placeOf(sql, id), (place) => Signatures.until(place, wanted))
        ),
      commits: (ref, since) =>
        Snapshot.ofRepository<ReadonlyArray<CommitSummary.CommitSummary>>(
          reader,
          "TriageStore.commits",
          ref,
          [],
          (id) =>
            Effect.gen(function* () {
              const place = yield* TriageRuns.placeOf(sql, id)
              const runs = yield* TriageRuns.ofLatestCommits(place, since)
              return CommitSummary.of(runs.map(({ run }) => run)).filter(({ at }) => at >= since)
            })
        ),
      reruns: (ref, verdicts) =>
        Snapshot.ofRepository<ReadonlyArray<FailurePrecision.Reruns>>(
          reader,
          "TriageStore.reruns",
          ref,
          verdicts.map(() => ({ passed: 0, failed: 0 })),
          (id) => Effect.flatMap(TriageRuns.placeOf(sql, id), (place) => Reruns.after(place, verdicts))
        )
    })
  })
)

/** The facts on failures in a repository without reports. */
const unknown = (asked: AskedRun) =>
  Triages.askedOf(asked, [], { defaultBranch: "main", bases: new Set() }).map(({ failure, job }) =>
    FailureRecords.factsOf({
      failure,
      defaultBranch: "main",
      job,
      reruns: [],
      siblings: [],
      before: [],
      unstable: [],
      passes: [],
      elsewhere: [],
      totals: { passed: 0, failed: 0 },
      seen: failure.signature === null ? null : 0
    })
  )
