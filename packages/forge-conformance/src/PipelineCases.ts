/**
 * Cases of a platform whose merge requests have pipelines of several kinds: which of them a verdict belongs to, and which run again.
 *
 * **Details**
 *
 * A pipeline of a merged result, and of a merge train, runs on a commit that "does not exist in either branch" (docs.gitlab.com, "Merged
 * results pipelines"): it never has the head of its merge request.
 */
import type { Repository } from "@lazaret/domain"
import { type CommitReport, Forge } from "@lazaret/services"
import { Context, Effect } from "effect"
import { equal, type Need } from "./Case.ts"

/** The kinds of pipelines that people see on a merge request, and those of a schedule and of another CI. */
export type Kind = "branch" | "merge_request" | "merged_result" | "train" | "schedule" | "external"

/** The state of a pipeline; one that is `invalid` failed for its configuration, and has no jobs. */
export type State = "running" | "success" | "failed" | "invalid"

/**
 * The pipelines behind an adapter, as people and CI act on them. A merge request is named by its head.
 *
 * **Details**
 *
 * - `open`: a new merge request, which may be merged after its latest pipeline is green; yields its head. `push`: gives it another one.
 * - `start`: a new pipeline; yields its id. `verdicts`: the verdicts that it shows, oldest first. `retries`: how often it ran again.
 * - `latest`: the pipeline by which the merge request is judged, null without one. `isUnlocked`: whether it may be merged.
 */
export class PipelinePlatform extends Context.Service<
  PipelinePlatform,
  {
    readonly ref: Repository.RepositoryRef
    readonly open: Effect.Effect<string>
    readonly push: (head: string) => Effect.Effect<string>
    readonly start: (head: string, kind: Kind, state: State) => Effect.Effect<number>
    readonly verdicts: (pipeline: number) => Effect.Effect<ReadonlyArray<"success" | "failure">>
    readonly retries: (pipeline: number) => Effect.Effect<number>
    readonly latest: (head: string) => Effect.Effect<number | null>
    readonly isUnlocked: (head: string) => Effect.Effect<boolean>
  }
>()("@lazaret/forge-conformance/PipelinePlatform") {}

/** One sentence of the law of pipelines, and its proof. */
export interface PipelineCase {
  readonly name: string
  readonly needs: ReadonlyArray<Need>
  readonly run: Effect.Effect<void, unknown, Forge | PipelinePlatform>
}

const make = (
  name: string,
  run: (forge: Forge["Service"], platform: PipelinePlatform["Service"]) => Effect.Effect<void, unknown>
): PipelineCase => ({
  name,
  needs: ["pipelines"],
  run: Effect.flatMap(Effect.all([Forge, PipelinePlatform]), ([forge, platform]) => run(forge, platform))
})

const report = (commit: string, conclusion: "success" | "failure"): CommitReport => ({
  name: "Lazaret",
  commit,
  conclusion,
  title: conclusion,
  summary: "",
  annotations: [],
  actions: [],
  url: null
})

const ofMerges = ["merged_result", "train"] as const

/** The cases. */
export const cases: ReadonlyArray<PipelineCase> = [
  // A status that names no pipeline goes to the newest one of its commit, whatever started it (gitlab-org/gitlab-foss#51368).
  make(
    "a verdict belongs to the pipeline of the merge request, whichever other one of the head is newer",
    (forge, platform) =>
      Effect.gen(function* () {
        for (const newer of ["branch", "schedule", "external"] as const) {
          const head = yield* platform.open
          const own = yield* platform.start(head, "merge_request", "running")
          yield* forge.publish(platform.ref, report(head, "failure"))
          const other = yield* platform.start(head, newer, "running")
          yield* forge.publish(platform.ref, report(head, "success"))
          const shown = [yield* platform.verdicts(own), yield* platform.verdicts(other)]
          yield* equal(shown, [["failure", "success"], []], `before a pipeline of the kind ${newer}`)
        }
      })
  ),

  // Without a pipeline of the commit the platform makes one of source `external` for the status (create_commit_status_service.rb,
  // find_or_create_pipeline), by which the merge request is judged then (gitlab-org/gitlab#443254).
  make(
    "where the pipelines are those of a merge, a verdict is published nowhere, and a red merge request stays locked",
    (forge, platform) =>
      Effect.gen(function* () {
        for (const kind of ofMerges) {
          const head = yield* platform.open
          const pipeline = yield* platform.start(head, kind, "failed")
          yield* forge.publish(platform.ref, report(head, "success"))
          const after = [
            yield* platform.latest(head),
            yield* platform.verdicts(pipeline),
            yield* platform.isUnlocked(head)
          ]
          yield* equal(after, [pipeline, [], false], kind)
        }
      })
  ),

  make("a commit without a pipeline gets none by a verdict", (forge, platform) =>
    Effect.gen(function* () {
      const head = yield* platform.open
      yield* forge.publish(platform.ref, report(head, "success"))
      yield* equal([yield* platform.latest(head), yield* platform.isUnlocked(head)], [null, false], "the merge request")
    })
  ),

  // The pipeline of another CI is made of its statuses (docs.gitlab.com, "Commits API", "Set commit pipeline status").
  make("an external pipeline takes the verdict where the head has no other one", (forge, platform) =>
    Effect.gen(function* () {
      const head = yield* platform.open
      const pipeline = yield* platform.start(head, "external", "running")
      for (const conclusion of ["failure", "success"] as const)
        yield* forge.publish(platform.ref, report(head, conclusion))
      yield* equal(yield* platform.verdicts(pipeline), ["failure", "success"], "the verdicts")
      yield* equal(yield* platform.latest(head), pipeline, "the latest pipeline")
    })
  ),

  make("a verdict makes no failed pipeline green, with jobs or without", (forge, platform) =>
    Effect.gen(function* () {
      for (const kind of ["branch", "merge_request"] as const) {
        for (const state of ["failed", "invalid"] as const) {
          const head = yield* platform.open
          yield* platform.start(head, kind, state)
          yield* forge.publish(platform.ref, report(head, "success"))
          yield* equal(yield* platform.isUnlocked(head), false, `a pipeline of the kind ${kind} that is ${state}`)
        }
      }
    })
  ),

  make("failed jobs run again, once, in whichever kind of pipeline", (forge, platform) =>
    Effect.gen(function* () {
      for (const kind of ["branch", "merge_request", ...ofMerges] as const) {
        const head = yield* platform.open
        const pipeline = yield* platform.start(head, kind, "failed")
        const reruns = [
          yield* forge.rerunFailedJobs(platform.ref, head),
          yield* forge.rerunFailedJobs(platform.ref, head)
        ]
        yield* equal([reruns, yield* platform.retries(pipeline)], [[1, 0], 1], kind)
      }
    })
  ),

  make("neither a pipeline of an earlier head runs again, nor one with a newer one of its kind", (forge, platform) =>
    Effect.gen(function* () {
      for (const kind of ofMerges) {
        const earlier = yield* platform.open
        const pipelines = [yield* platform.start(earlier, kind, "failed")]
        const head = yield* platform.push(earlier)
        yield* equal(yield* forge.rerunFailedJobs(platform.ref, head), 0, `${kind} of an earlier head`)
        pipelines.push(yield* platform.start(head, kind, "failed"))
        yield* platform.start(head, kind, "success")
        yield* equal(yield* forge.rerunFailedJobs(platform.ref, head), 0, `${kind} with a newer one`)
        yield* equal(yield* Effect.forEach(pipelines, platform.retries), [0, 0], kind)
      }
    })
  )
]
