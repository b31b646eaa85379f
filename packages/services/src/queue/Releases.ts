/** Whether a gate may leave the shadow: everything that it needs was seen at work on the repository. */
import type { PlatformSighting, Repository } from "@lazaret/domain"
import { type EngineConfiguration, type EngineState, Readiness } from "@lazaret/queue"
import type { SightingStore, StoreError } from "@lazaret/store"
import { Effect, Option } from "effect"
import type { PlatformSetup } from "../ports/PlatformSetup.ts"

/** The ports that it is seen through; without a platform nothing was seen. */
export interface Ports {
  readonly sightings: SightingStore["Service"]
  readonly setup: Option.Option<PlatformSetup["Service"]>
}

/** The steps of the connection of a repository, and those of its gate or its driven queue. */
export const stepsOf = Effect.fnUntraced(function* (
  { setup, sightings }: Ports,
  ref: Repository.RepositoryRef,
  { drive = null, gate }: { readonly gate: Readiness.Gate | null; readonly drive?: Readiness.Drive | null }
): Effect.fn.Return<ReadonlyArray<Readiness.Step>, StoreError> {
  const said = Option.isNone(setup) ? Readiness.noSetup : yield* setup.value.read(ref)
  return Readiness.steps({ setup: said, sightings: yield* sightings.all(ref), gate, drive })
})

/** The certification of a host; absent: nobody has tried it for this repository. */
const certificationOf = (sightings: ReadonlyArray<PlatformSighting.PlatformSighting>, host: string) =>
  sightings.find(({ kind, name }) => kind === "certification" && name === host)

/**
 * Whether a queue may be driven: its platform was certified for this repository, or a person lets it be driven without that. A platform
 * that cannot be driven (`host` null) never may.
 */
export const isDriveReleased = Effect.fnUntraced(function* (
  { sightings }: Pick<Ports, "sightings">,
  ref: Repository.RepositoryRef,
  { host, state }: { readonly host: string | null; readonly state: EngineState.EngineState }
) {
  if (host === null) return false
  return state.driveWaiver !== null || certificationOf(yield* sightings.all(ref), host) !== undefined
})

/**
 * Whether a gate may act.
 *
 * **Details**
 *
 * A gate that has acted before may act again: what was seen once stays seen. The platform is asked only when all else was seen.
 */
export const isReleased = Effect.fnUntraced(function* (
  ports: Ports,
  ref: Repository.RepositoryRef,
  {
    configuration,
    state
  }: {
    readonly configuration: EngineConfiguration.EngineConfiguration
    readonly state: EngineState.EngineState
  }
) {
  if (state.hasActed || state.waiver !== null) return true
  if (Option.isNone(ports.setup)) return false
  const gate = { configuration, state, findings: null }
  const own = Readiness.steps({ setup: Readiness.noSetup, sightings: yield* ports.sightings.all(ref), gate })
  return Readiness.isReady(own) && Readiness.isReady(yield* stepsOf(ports, ref, { gate }))
})
