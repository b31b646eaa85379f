/** The port of the runs of a CI system, and of the artifacts that they keep. */
import type { Instant, Repository, UploadOrigin } from "@lazaret/domain"
import { Context, type Effect, type Stream } from "effect"
import type { ForgeError } from "./Forge.ts"

/**
 * A completed run of a workflow.
 *
 * **Details**
 *
 * - `origin`: the run as the platform proves it; a run of a fork has unproven code.
 * - `attemptStartedAt`: when its latest attempt started. Artifacts from before it are of earlier attempts.
 */
export interface WorkflowRun {
  readonly id: string
  readonly workflow: string
  readonly origin: UploadOrigin.UploadOrigin
  readonly attempt: number
  readonly commit: string
  readonly url: string
  readonly createdAt: Instant.Instant
  readonly attemptStartedAt: Instant.Instant
}

/**
 * An archive that a run keeps.
 *
 * **Details**
 *
 * - `key`: differs from those of all other archives, on any platform; it is never used again.
 * - `size`: in bytes, packed; 0 where the platform does not say.
 * - `attempt`: the attempt of its job, where the platform counts those of jobs; else it follows from `createdAt`.
 * - `isReport`: whether the platform itself takes it for a test report, whatever its name.
 */
export interface RunArtifact {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly size: number
  readonly createdAt: Instant.Instant
  readonly attempt?: number
  readonly isReport: boolean
}

/** Reads runs and artifacts. */
export interface WorkflowRuns {
  /** A run; null while it is not completed. */
  readonly get: (ref: Repository.RepositoryRef, id: string) => Effect.Effect<WorkflowRun | null, ForgeError>
  /** A page of the runs, the newest first; runs that are not completed are left out. `page` counts from 1. */
  readonly latest: (
    ref: Repository.RepositoryRef,
    at: { readonly page: number; readonly perPage: number }
  ) => Effect.Effect<{ readonly runs: ReadonlyArray<WorkflowRun>; readonly isLast: boolean }, ForgeError>
  /** The artifacts of a run that have not expired, at most 100. */
  readonly artifacts: (
    ref: Repository.RepositoryRef,
    runId: string
  ) => Effect.Effect<ReadonlyArray<RunArtifact>, ForgeError>
  /** The bytes of an artifact: a zip archive. */
  readonly download: (
    ref: Repository.RepositoryRef,
    artifactId: string
  ) => Effect.Effect<Stream.Stream<Uint8Array, ForgeError>, ForgeError>
}

/** The runs that the server reads; null without a platform that shows them. */
export const WorkflowRuns = Context.Reference<WorkflowRuns | null>("@lazaret/services/WorkflowRuns", {
  defaultValue: () => null
})
