/** The metrics of the stores (docs/reference/metrics.md). */
import { StoreError } from "@lazaret/store"
import { Effect, Metric } from "effect"

const failures = Metric.counter("lazaret_store_failures_total", {
  description: "Reads and transactions of the store that failed for good, by reason.",
  incremental: true
})

const connections = Metric.gauge("lazaret_store_connections_in_use", {
  description: "Connections to PostgreSQL that an operation holds; those of all pools together."
})

const waits = Metric.counter("lazaret_store_waits_total", {
  description: "Operations that found every connection in use and waited for one.",
  incremental: true
})

const loads = Metric.counter("lazaret_read_model_loads_total", {
  description: "How often a repository was read into memory: whole, or what is new.",
  incremental: true
})

/** Every series of the counters, at 0: Prometheus sees the first event of a series only as a step from 0. */
export const zero: Effect.Effect<void> = Effect.all(
  [
    ...StoreError.fields.reason.literals.map((reason) => Metric.update(Metric.withAttributes(failures, { reason }), 0)),
    ...["whole", "new"].map((kind) => Metric.update(Metric.withAttributes(loads, { kind }), 0)),
    Metric.update(connections, 0),
    Metric.update(waits, 0)
  ],
  { discard: true }
)

/** Counts a read or a transaction that failed for good; the log names the operation. */
export const failure = ({ reason }: StoreError): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(failures, { reason }), 1)

/** Counts the connection that an operation holds while it runs. */
export const inUse = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Metric.modify(connections, 1),
    () => effect,
    () => Metric.modify(connections, -1)
  )

/** Counts an operation that has to wait for a connection. */
export const waiting: Effect.Effect<void> = Metric.update(waits, 1)

/** Counts that a repository was read into memory. */
export const load = (kind: "whole" | "new"): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(loads, { kind }), 1)
