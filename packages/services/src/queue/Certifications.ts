/** The use case of people who certify a hosting platform for driven queues: a job of the server, whose progress is read. */
import { type AuditEntry, Instant, PlatformCertification, Repository } from "@lazaret/domain"
import { CertificationStore, EngineStore, RepositoryStore, SightingStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, type Scope } from "effect"
import { Audits } from "../access/Audits.ts"
import { note } from "../answer/AuditNote.ts"
import * as Lookup from "../answer/Lookup.ts"
import type { RepositoryNotFound } from "../answer/ServiceError.ts"
import type { ForgeError } from "../ports/Forge.ts"
import { NewId } from "../ports/NewId.ts"
import * as Certification from "./Certification.ts"
import { type Case, cases, type Platform } from "./CertificationCase.ts"
import { DriveForge } from "./DriveForge.ts"
import { QueueForge } from "./QueueForge.ts"
import { ScratchForge } from "./ScratchForge.ts"

type Ref = Repository.RepositoryRef

type Run = PlatformCertification.PlatformCertification

/** A certification, and its state now. */
export interface CertificationReport extends Run {
  readonly state: PlatformCertification.State
}

/** The answer to a start: the certification that began, or the one that runs already. */
export interface Started {
  readonly isNew: boolean
  readonly report: CertificationReport
}

/**
 * Certifies hosting platforms.
 *
 * **Details**
 *
 * A certification is a job of the server that took the request: it goes on without the caller, and writes each outcome when it is known.
 * One that its server did not end is reported as interrupted and is not resumed: a new one takes a minute or two, and removes what
 * that one left behind.
 */
export class Certifications extends Context.Service<
  Certifications,
  {
    /**
     * Begins to try everything that a driven queue depends on, on a scratch repository that nothing else depends on. When every case
     * holds, that is noted for the repository: then its queue may be driven. Null: the platform cannot be driven.
     */
    readonly start: (
      ref: Ref,
      asked: { readonly scratch: Ref; readonly actor: AuditEntry.Actor }
    ) => Effect.Effect<Started | null, ForgeError | RepositoryNotFound | StoreError>
    /** The certification that began last. */
    readonly latest: (ref: Ref) => Effect.Effect<Option.Option<CertificationReport>, RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Certifications") {
  /** The use case with these cases. */
  static readonly layerOf = (all: ReadonlyArray<Case>) =>
    Layer.effect(
      Certifications,
      Effect.suspend(() => make(all))
    )

  /** The use case over the storage ports and the platform; its jobs end with the layer. */
  static readonly layer = this.layerOf(cases)
}

const make = Effect.fnUntraced(function* (all: ReadonlyArray<Case>) {
  const repositories = yield* RepositoryStore
  const store = yield* CertificationStore
  const drive = yield* Effect.serviceOption(DriveForge)
  const queue = yield* Effect.serviceOption(QueueForge)
  const scratch = yield* Effect.serviceOption(ScratchForge)
  const newId = yield* NewId
  const scope = yield* Effect.scope
  const ports: Ports = {
    store,
    engines: yield* EngineStore,
    sightings: yield* SightingStore,
    audits: yield* Audits
  }

  const start = Effect.fn("Certifications.start")(function* (ref: Ref, asked: Parameters<Start>[1]) {
    yield* Lookup.repository(repositories)(ref)
    const platform = Option.all({ drive, queue, scratch })
    const host = Option.isNone(platform) ? null : yield* platform.value.drive.host
    if (Option.isNone(platform) || host === null) return null
    const at = yield* Clock.currentTimeMillis
    const begun: Run = {
      host,
      id: yield* newId,
      scratch: Repository.key(asked.scratch),
      startedBy: asked.actor.name,
      startedAt: at,
      beatAt: at,
      endedAt: null,
      total: all.length,
      cases: [],
      failure: null
    }
    yield* note({ before: null, after: { host, scratch: begun.scratch, certification: begun.id } })
    const before = Option.filter(yield* store.latest(ref), (known) => isInterrupted(known, at))
    const running = yield* store.begin(ref, begun)
    if (Option.isSome(running)) return { isNew: false, report: reportOf(running.value, at) }
    yield* beginJob(ports, { ref, begun, before, ...asked, all, platform: platform.value }, scope)
    return { isNew: true, report: reportOf(begun, at) }
  })

  const latest = Effect.fn("Certifications.latest")(function* (ref: Ref) {
    yield* Lookup.repository(repositories)(ref)
    const now = yield* Clock.currentTimeMillis
    return Option.map(yield* store.latest(ref), (found) => reportOf(found, now))
  })

  return Certifications.of({ start, latest })
})

type Start = Certifications["Service"]["start"]

const isInterrupted = (run: Run, now: Instant.Instant): boolean =>
  PlatformCertification.stateOf(run, now) === "interrupted"

const reportOf = (run: Run, now: Instant.Instant): CertificationReport => ({
  ...run,
  state: PlatformCertification.stateOf(run, now)
})

interface Ports {
  readonly store: CertificationStore["Service"]
  readonly engines: EngineStore["Service"]
  readonly sightings: SightingStore["Service"]
  readonly audits: Audits["Service"]
}

interface Job {
  readonly ref: Ref
  readonly begun: Run
  readonly before: Option.Option<Run>
  readonly scratch: Ref
  readonly actor: AuditEntry.Actor
  readonly platform: Platform
  readonly all: ReadonlyArray<Case>
}

/** Runs the job apart from the request; its end has an entry of its own in the audit log. */
const beginJob = (ports: Ports, job: Job, scope: Scope.Scope): Effect.Effect<void> => {
  const { actor, begun, ref } = job
  const action = { actor, address: null, action: "certifyPlatform", ...ref, target: { certification: begun.id } }
  const recorded = ports.audits.record(action, run(ports, job), (isPassed) => isPassed)
  const guarded = Effect.catchCause(recorded, (cause) => Effect.logWarning("A certification ended early", cause))
  // A job that ends before its first step would not note its end.
  return Effect.asVoid(Effect.forkIn(guarded, scope, { startImmediately: true }))
}

/** Removes the branches of a certification that its server did not end, where it ran on the same scratch repository. */
const cleanUp = ({ before, begun, platform, scratch }: Job) =>
  Option.isSome(before) && before.value.scratch === begun.scratch
    ? Effect.ignore(Certification.clean(platform, scratch, before.value.id))
    : Effect.void

/** Tries every case, notes each outcome, and yields whether the platform is certified. */
const run = Effect.fnUntraced(function* (ports: Ports, job: Job) {
  const { all, begun, platform, ref, scratch } = job
  let current = begun
  const write = Effect.fnUntraced(function* (change: (at: Instant.Instant) => Partial<Run>) {
    const beatAt = yield* Clock.currentTimeMillis
    current = { ...current, ...change(beatAt), beatAt }
    return yield* ports.store.update(ref, current)
  })
  const end = (failure: string | null) => write((endedAt) => ({ failure, endedAt }))
  const tried = Certification.run(platform, scratch, begun.id, {
    all,
    each: (outcome) => Effect.asVoid(write(() => ({ cases: [...current.cases, outcome] })))
  })
  const failure = yield* Effect.andThen(cleanUp(job), tried).pipe(
    Effect.as(null),
    Effect.catchTag("ForgeError", (error) => Effect.succeed(Certification.faultOf(error))),
    Effect.onInterrupt(() => Effect.ignore(end("The server stopped.")))
  )
  const isOurs = yield* end(failure)
  const isPassed = isOurs && PlatformCertification.stateOf(current, current.beatAt) === "passed"
  const { host, total } = current
  yield* note({ before: null, after: { host, scratch: current.scratch, isPassed } })
  if (isPassed)
    yield* certified(ports, ref, { host, at: current.beatAt, detail: `${total} cases on ${current.scratch}` })
  return isPassed
})

/** Notes a host that every case holds at, and lets the engines act on it. */
const certified = Effect.fnUntraced(function* (
  { engines, sightings }: Ports,
  ref: Ref,
  { at, detail, host }: { readonly host: string; readonly at: Instant.Instant; readonly detail: string }
) {
  yield* sightings.note(ref, { kind: "certification", name: host, at, detail })
  for (const branch of yield* engines.branches(ref)) yield* engines.wake(ref, branch, at)
})
