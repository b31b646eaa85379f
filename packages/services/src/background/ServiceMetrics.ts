/** The metrics of the use cases (docs/reference/metrics.md). No label holds a value that users choose. */
import { Effect, Layer, Metric } from "effect"

const reports = Metric.counter("lazaret_reports_total", {
  description: "Test reports that arrived, by outcome: recorded, repeated or refused.",
  incremental: true
})

const executions = Metric.counter("lazaret_executions_total", {
  description: "Test executions that arrived, by outcome: recorded or duplicate.",
  incremental: true
})

const pauses = Metric.counter("lazaret_queue_pauses_total", {
  description: "How often a merge queue was paused and unpaused.",
  incremental: true
})

const writes = Metric.counter("lazaret_queue_writes_total", {
  description: "Writes of merge queues at the platform, by outcome: done, refused or unknown.",
  incremental: true
})

const outdated = Metric.gauge("lazaret_outdated_repositories", {
  description: "Repositories that are still to be recomputed by the rules of this version."
})

/** Adds to the series of a counter with these labels; without a number the series exists from then on. */
const counted = (
  counter: Metric.Counter<number>,
  labels: Readonly<Record<string, string>>,
  by = 0
): Effect.Effect<void> => Metric.update(Metric.withAttributes(counter, labels), by)

/** Every series of the counters, at 0: Prometheus sees the first event of a series only as a step from 0. */
export const layerZero: Layer.Layer<never> = Layer.effectDiscard(
  Effect.all(
    [
      ...(["recorded", "repeated", "refused"] as const).map((outcome) => counted(reports, { outcome })),
      ...(["recorded", "duplicate"] as const).map((outcome) => counted(executions, { outcome })),
      ...(["paused", "unpaused"] as const).map((action) => counted(pauses, { action })),
      ...(["done", "refused", "unknown"] as const).map((outcome) => counted(writes, { outcome })),
      Metric.update(outdated, 0)
    ],
    { discard: true }
  )
)

/** Sets how many repositories are still to be recomputed. */
export const outdatedRepositories = (count: number): Effect.Effect<void> => Metric.update(outdated, count)

/** Counts a report that was recorded, with its executions, or one that had been recorded before. */
export const report = (count: { readonly recorded: number; readonly duplicates: number }, isNew: boolean) =>
  Effect.all(
    [
      counted(reports, { outcome: isNew ? "recorded" : "repeated" }, 1),
      counted(executions, { outcome: "recorded" }, count.recorded),
      counted(executions, { outcome: "duplicate" }, count.duplicates)
    ],
    { discard: true }
  )

/** Counts a report whose key was used for another one. */
export const refusedReport: Effect.Effect<void> = Effect.suspend(() => counted(reports, { outcome: "refused" }, 1))

/** Counts a write of a merge queue. */
export const queueWrite = (outcome: "done" | "refused" | "unknown") => counted(writes, { outcome }, 1)

/** Counts a pause of a merge queue, or its end. */
export const pause = (action: "paused" | "unpaused"): Effect.Effect<void> => counted(pauses, { action }, 1)
