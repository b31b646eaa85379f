/** The use cases of field precision: how often `flaky` was right, marks, and whether the gate excuses by verdict. */
import {
  FailureCalibration,
  type FailureFacts,
  FailureGate,
  FailurePrecision,
  type FailureVerdict,
  Instant,
  type Repository
} from "@lazaret/domain"
import { RepositoryStore, type StoreError, TriageStore, VerdictStore } from "@lazaret/store"
import { Cache, Clock, Context, Effect, Exit, Layer, Option } from "effect"
import * as AuditNote from "../answer/AuditNote.ts"
import * as Lookup from "../answer/Lookup.ts"
import { type RepositoryNotFound, VerdictNotFound } from "../answer/ServiceError.ts"

/**
 * How often `flaky` was right in a repository.
 *
 * **Details**
 *
 * - `stages`: how the error of the probabilities fell with the known outcomes of a year, whatever the verdicts were.
 * - `marked`: how many failures of these days people marked as flaky and as real, whatever the verdict was.
 * - `retried`: the job runs with a real failure, and those of them that a retry exit code would have run again, of these days.
 * - `suspendedSince`: since when the gate excuses nothing by verdict, null while it does as its settings say.
 */
export interface Precision extends FailurePrecision.FieldPrecision {
  readonly stages: ReadonlyArray<FailurePrecision.Stage>
  readonly policy: FailurePrecision.PrecisionPolicy
  readonly marked: { readonly [T in FailurePrecision.Truth]: number }
  readonly retried: FailurePrecision.Retried
  readonly suspendedSince: Instant.Instant | null
  readonly sentence: string
}

/** A failure with the facts on it and the verdict that was answered. */
export interface Judged {
  readonly facts: FailureFacts.FailureFacts
  readonly verdict: FailureVerdict.FailureVerdict
}

/** The marks of people, by test and execution ({@link markOf}). */
export type Marks = ReadonlyMap<string, FailurePrecision.Mark>

/** The mark on a failure, null without one. */
export const markOf = (marks: Marks, { executionId, testId }: Named): FailurePrecision.Mark | null =>
  marks.get(`${testId} ${executionId}`) ?? null

type Named = Pick<FailureVerdict.FailureVerdict, "executionId" | "testId">

/** The known outcomes of a year are shown. */
const yearOfDays = 365

/** At most this many failures count; the latest ones. */
const mostOutcomes = 2000

/** Measures verdicts, and says when the excuses of the gate are suspended because they are wrong too often. */
export class FieldPrecisions extends Context.Service<
  FieldPrecisions,
  {
    /** How often `flaky` was right, as of now. */
    readonly get: (ref: Repository.RepositoryRef) => Effect.Effect<Precision, RepositoryNotFound | StoreError>
    /** The gate as it holds now. It is measured at most once a minute, and only where the gate excuses by verdict. */
    readonly gate: (
      ref: Repository.RepositoryRef,
      gate: FailureGate.FailureGate
    ) => Effect.Effect<FailureGate.GateInForce, StoreError>
    /** The offsets of the probabilities here, by the outcomes of a year; computed at most once a minute. */
    readonly offsets: (ref: Repository.RepositoryRef) => Effect.Effect<FailureCalibration.Offsets, StoreError>
    /** Suspends the excuses or ends the suspension, where the gate excuses by verdict and the precision asks for it. A change is an event. */
    readonly settle: (ref: Repository.RepositoryRef) => Effect.Effect<void, StoreError>
    /** Keeps the first verdict on each failure. */
    readonly note: (ref: Repository.RepositoryRef, judged: ReadonlyArray<Judged>) => Effect.Effect<void, StoreError>
    /** The marks on failures. */
    readonly marks: (ref: Repository.RepositoryRef, failures: ReadonlyArray<Named>) => Effect.Effect<Marks, StoreError>
    /** Marks a failure that a verdict was answered on. */
    readonly mark: (
      ref: Repository.RepositoryRef,
      execution: FailurePrecision.MarkedExecution,
      mark: Omit<FailurePrecision.Mark, "at">
    ) => Effect.Effect<FailurePrecision.MarkedVerdict, RepositoryNotFound | VerdictNotFound | StoreError>
  }
>()("@lazaret/services/FieldPrecisions") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    FieldPrecisions,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const triage = yield* TriageStore
      const verdicts = yield* VerdictStore

      const measure = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, gate: FailureGate.FailureGate) {
        const now = yield* Clock.currentTimeMillis
        const policy = { ...FailurePrecision.defaults, leastPrecision: gate.leastPrecision }
        const after = now - policy.days * Instant.day
        const kept = yield* verdicts.latest(ref, { after, verdicts: ["flaky"], limit: mostOutcomes })
        const reruns = yield* triage.reruns(ref, kept)
        const outcomes = kept.map(({ at, mark, probability }, index) => ({
          ...(reruns[index] ?? { passed: 0, failed: 0 }),
          at,
          probability,
          mark: mark?.truth ?? null
        }))
        return { now, after, policy, precision: FailurePrecision.measure(outcomes, now, policy) }
      })

      const settle = Effect.fn("FieldPrecisions.settle")(function* (ref: Repository.RepositoryRef) {
        const repository = yield* repositories.get(ref)
        if (Option.isNone(repository) || !FailureGate.excuses(repository.value.settings.gate)) return
        const { now, policy, precision } = yield* measure(ref, repository.value.settings.gate)
        const isSuspended = precision.excuses === "off"
        if (Option.isSome(yield* verdicts.suspension(ref)) === isSuspended) return
        const reason = FailurePrecision.sentence(precision, policy)
        yield* verdicts.suspend(ref, { isSuspended, at: now, reason })
      })

      const suspendedBy = yield* Cache.makeWith(
        (key: string) => {
          const { ref, gate } = parsed(key)
          return Effect.map(measure(ref, gate), ({ policy, precision }) =>
            precision.excuses === "off" ? FailurePrecision.sentence(precision, policy) : null
          )
        },
        {
          capacity: 1000,
          // A failure is not cached.
          timeToLive: (exit) => (Exit.isSuccess(exit) ? "1 minute" : 0)
        }
      )

      const learned = yield* Cache.makeWith(
        (key: string) => {
          const { ref } = parsed(key)
          return Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const { days, outcomes } = FailureCalibration.bounds
            const known = yield* verdicts.resolved(ref, { after: now - days * Instant.day, limit: outcomes })
            const resolved = known.flatMap(FailurePrecision.resolvedOf)
            return FailureCalibration.offsets(resolved, now, FailureCalibration.defaults)
          })
        },
        { capacity: 1000, timeToLive: (exit) => (Exit.isSuccess(exit) ? "1 minute" : 0) }
      )

      const offsets = (ref: Repository.RepositoryRef) => Cache.get(learned, JSON.stringify({ ref }))

      const get = Effect.fn("FieldPrecisions.get")(function* (ref: Repository.RepositoryRef) {
        const { settings } = yield* Lookup.repository(repositories)(ref)
        const { after, now, policy, precision } = yield* measure(ref, settings.gate)
        const latest = yield* verdicts.latest(ref, { after, verdicts: kinds, limit: mostOutcomes })
        const count = (truth: FailurePrecision.Truth) => latest.filter(({ mark }) => mark?.truth === truth).length
        const suspension = yield* verdicts.suspension(ref)
        const resolved = yield* verdicts.resolved(ref, { after: now - yearOfDays * Instant.day, limit: mostOutcomes })
        return {
          ...precision,
          stages: FailurePrecision.stages(
            resolved.flatMap((kept) =>
              FailurePrecision.resolvedOf(kept).map(({ isFlaky }) => ({ ...kept, isFlake: isFlaky }))
            )
          ),
          policy,
          marked: { flaky: count("flaky"), real: count("real") },
          retried: FailurePrecision.retriedOf(latest),
          suspendedSince: Option.match(suspension, { onNone: () => null, onSome: ({ since }) => since }),
          sentence: FailurePrecision.sentence(precision, policy)
        }
      })

      const gate = Effect.fn("FieldPrecisions.gate")(function* (
        ref: Repository.RepositoryRef,
        settings: FailureGate.FailureGate
      ) {
        if (!FailureGate.excuses(settings)) return settings
        const suspended = yield* Cache.get(suspendedBy, JSON.stringify({ ref, gate: settings }))
        return suspended === null ? settings : { ...settings, suspended }
      })

      const note = Effect.fn("FieldPrecisions.note")(function* (
        ref: Repository.RepositoryRef,
        judged: ReadonlyArray<Judged>
      ) {
        const first = judged.flatMap(({ facts, verdict }) => FailurePrecision.firstOf(facts, verdict) ?? [])
        yield* verdicts.note(ref, first)
      })

      const marks = Effect.fn("FieldPrecisions.marks")(function* (
        ref: Repository.RepositoryRef,
        failures: ReadonlyArray<Named>
      ) {
        const ids = new Set(failures.flatMap(({ executionId }) => executionId ?? []))
        const found = yield* verdicts.marked(ref, [...ids])
        return new Map(found.map((one) => [`${one.testId} ${one.executionId}`, one.mark]))
      })

      const mark = Effect.fn("FieldPrecisions.mark")(function* (
        ref: Repository.RepositoryRef,
        execution: FailurePrecision.MarkedExecution,
        given: Omit<FailurePrecision.Mark, "at">
      ) {
        yield* Lookup.repository(repositories)(ref)
        const at = yield* Clock.currentTimeMillis
        yield* AuditNote.note({ after: { truth: given.truth } })
        return yield* Effect.flatMap(
          verdicts.mark(ref, execution, { ...given, at }),
          Lookup.orFail(() => new VerdictNotFound({ ...ref, ...execution }))
        )
      })

      return FieldPrecisions.of({ get, gate, offsets, settle, note, marks, mark })
    })
  )
}

interface Key {
  readonly ref: Repository.RepositoryRef
  readonly gate: FailureGate.FailureGate
}

/** The key is written by `gate`, and without one by `offsets`, alone. */
const parsed = (key: string): Key => JSON.parse(key) as Key

const kinds: ReadonlyArray<FailureVerdict.Verdict> = [
  "flaky",
  "broken_on_base",
  "outage",
  "new_failure",
  "new_test",
  "undecided"
]
