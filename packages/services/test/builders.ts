import { HostingPlatform, Ingestion, Services } from "@lazaret/services"
import type { Upload } from "@lazaret/services"
import { type Execution, Instant, type PullRef, type Report } from "@lazaret/domain"
import { MemoryStores, type QuarantineStore } from "@lazaret/store"
import { it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"

/** Every use case over a new memory. */
export const memory = Services.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, HostingPlatform.layerOff))
)

/** The same, with a listener that reads the stores. */
export const memoryWith = <A>(listener: Layer.Layer<A, never, QuarantineStore>) =>
  Services.layer.pipe(
    Layer.provide(listener),
    Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, HostingPlatform.layerOff))
  )

export const ref = { owner: "acme", repository: "widgets" }

/** A commit of full length. */
export const commit = "0123456789abcdef0123456789abcdef01234567"

/** Noon of a day that is not special. */
export const noon = Date.UTC(2026, 4, 20, 12)

export const pull: PullRef.PullRef = { id: 1007, number: 7, title: "Change it", user: { id: 3, login: "ada" } }

interface Given {
  readonly test?: string
  readonly job?: string
  readonly branch?: string | null
  readonly commit: string
  readonly conclusion?: Execution.Conclusion
  readonly exception?: string
  readonly hoursAgo: number
  readonly durationMs?: number
  readonly pullRequest?: PullRef.PullRef
}

/** One upload of one case; says only what matters. */
export const given = (facts: Given): Upload => ({
  digest: JSON.stringify(facts),
  finishedAt: noon - facts.hoursAgo * Instant.hour,
  run: runOf(facts),
  cases: [caseOf(facts)]
})

/** Records uploads in the order given. */
export const record = (...facts: ReadonlyArray<Given>) =>
  Effect.flatMap(Ingestion, (ingestion) => Effect.forEach(facts, (fact) => ingestion.record(ref, given(fact))))

const runOf = ({ branch, commit: sha, hoursAgo, job, pullRequest }: Given): Report.RunContext => ({
  pipelineName: "CI",
  jobName: job ?? "unit",
  branch: branch === undefined ? "main" : branch,
  baseBranch: null,
  commit: sha,
  runId: `${sha}-${hoursAgo}`,
  runAttempt: 1,
  jobUrl: null,
  framework: null,
  frameworkVersion: null,
  language: null,
  pullRequest: pullRequest ?? null,
  pullNumber: null
})

const caseOf = ({ conclusion, durationMs, exception, test }: Given): Report.Case => ({
  testName: test ?? "adds",
  at: null,
  durationMs: durationMs ?? 10,
  conclusion: conclusion ?? "passed",
  flaky: false,
  reruns: 0,
  exception:
    conclusion === "failed" ? { type: exception ?? "AssertionError", message: "1 is not 2", stacktrace: null } : null,
  filepath: null,
  functionName: null
})

/** Registers tests that do their steps at noon, each with services of its own. */
export const testsWith =
  <S>(layer: Layer.Layer<S>) =>
  <A>(title: string, steps: () => Effect.fn.Return<A, unknown, S | Scope.Scope>): void =>
    it.effect(title, () => TestClock.setTime(noon).pipe(Effect.andThen(Effect.gen(steps)), Effect.provide(layer)))
