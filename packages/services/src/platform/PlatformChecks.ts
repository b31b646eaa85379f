/**
 * The use case of people who connect a repository to its platform: what was seen at work, what is missing, and where to change it.
 *
 * See `docs/how-to/first-hour.md`.
 */
import { Instant, type Repository } from "@lazaret/domain"
import { DrivePreflight, type EngineConfiguration, type EngineState, Preflight, Readiness } from "@lazaret/queue"
import { EngineStore, QueueStore, RepositoryStore, SightingStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { note } from "../answer/AuditNote.ts"
import * as Lookup from "../answer/Lookup.ts"
import { QueueNotGated, type RepositoryNotFound } from "../answer/ServiceError.ts"
import { Forge, type ForgeError } from "../ports/Forge.ts"
import { PlatformSetup } from "../ports/PlatformSetup.ts"
import * as Configuration from "../queue/Configuration.ts"
import { DriveForge } from "../queue/DriveForge.ts"
import { QueueForge } from "../queue/QueueForge.ts"
import * as Releases from "../queue/Releases.ts"

/**
 * The connection of a repository.
 *
 * **Details**
 *
 * - `platform`: null while none is connected. `branch`: the base branch of the gate or the driven queue, null where none is configured.
 * - `gate`, `drive`: `held` is one that its file lets act, and that decides in the shadow until every needed step is `ok`.
 * - `isReady`: every step that it needs is `ok`. `assumptions`: what nothing here has seen.
 */
export interface PlatformReport {
  readonly platform: "github" | "gitlab" | null
  readonly branch: string | null
  readonly gate: Acting
  readonly drive: Acting
  readonly isReady: boolean
  readonly steps: ReadonlyArray<Readiness.Step>
  readonly assumptions: ReadonlyArray<string>
}

/** Whether a gate or a driven queue acts, and why not. */
export type Acting = "off" | "shadow" | "held" | "acting"

/** A question about a connection. `hasSecret`: the server knows the secret of the webhook. */
export interface CheckRequest {
  readonly branch: string | null
  readonly hasSecret: boolean
}

/** Writes that show whether the connection works: a check on the default branch, a rerun of the failed jobs of a commit. */
export interface Probe {
  readonly isWriting: boolean
  readonly rerun: string | null
}

type Ref = Repository.RepositoryRef

/** Shows the connection of a repository, and lets people try it. */
export class PlatformChecks extends Context.Service<
  PlatformChecks,
  {
    readonly report: (ref: Ref, request: CheckRequest) => Effect.Effect<PlatformReport, RepositoryNotFound | StoreError>
    /** Tries the writes, and yields a sentence for each that did not work. What worked is noted. */
    readonly probe: (ref: Ref, probe: Probe) => Effect.Effect<ReadonlyArray<string>, RepositoryNotFound | StoreError>
    /** Lets the gate, or the driven queue, of a base branch act before its trial is over; yields the branch. The reason is in the audit log. */
    readonly waive: (
      ref: Ref,
      waiver: { readonly branch: string | null; readonly reason: string; readonly by: string }
    ) => Effect.Effect<string, QueueNotGated | RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/PlatformChecks") {
  /** The use case over the storage ports; the platform is asked where one is provided. */
  static readonly layer = Layer.effect(
    PlatformChecks,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const queues = yield* QueueStore
      const engines = yield* EngineStore
      const sightings = yield* SightingStore
      const setup = yield* Effect.serviceOption(PlatformSetup)
      const forge = yield* Effect.serviceOption(Forge)
      const queueForge = yield* Effect.serviceOption(QueueForge)
      const driveForge = yield* Effect.serviceOption(DriveForge)
      const platform = Option.match(setup, { onNone: () => Effect.succeed(null), onSome: ({ platform: of }) => of })

      const configured = Effect.fnUntraced(function* (ref: Ref, asked: string | null) {
        const { settings } = yield* Lookup.repository(repositories)(ref)
        const branch = asked ?? settings.defaultBranch ?? (yield* engines.branches(ref))[0] ?? "main"
        const configuration = yield* Configuration.of({ queues, repositories }, ref, branch)
        return configuration === null ? null : { branch, configuration }
      })

      const acting = (ref: Ref, asked: string | null) =>
        Effect.map(configured(ref, asked), (found) =>
          found?.configuration.mode === "gate" || found?.configuration.mode === "drive" ? found : null
        )

      const gateOf = Effect.fnUntraced(function* (ref: Ref, asked: string | null) {
        const found = yield* configured(ref, asked)
        if (found?.configuration.mode !== "gate") return null
        const { branch, configuration } = found
        const state = yield* engines.state(ref, branch)
        const live = yield* rulesNow(queueForge, ref, branch)
        const rules = live ?? state.rules
        return { branch, configuration, state, findings: rules === null ? null : Preflight.check(rules, configuration) }
      })

      const driveOf = Effect.fnUntraced(function* (ref: Ref, asked: string | null) {
        const found = yield* configured(ref, asked)
        if (found?.configuration.mode !== "drive") return null
        const { branch, configuration } = found
        const state = yield* engines.state(ref, branch)
        const rules = (yield* rulesNow(queueForge, ref, branch)) ?? state.rules
        const host = Option.isNone(driveForge) ? null : yield* driveForge.value.host
        return {
          branch,
          configuration,
          state,
          host,
          findings: rules === null ? null : DrivePreflight.check(rules, configuration)
        }
      })

      const report = Effect.fn("PlatformChecks.report")(function* (ref: Ref, { branch, hasSecret }: CheckRequest) {
        const gate = yield* gateOf(ref, branch)
        const drive = yield* driveOf(ref, branch)
        const connected = yield* platform
        const found = yield* Releases.stepsOf({ setup, sightings }, ref, { gate, drive })
        const steps = [...(connected === null ? [unconnected] : []), secretStep(hasSecret), ...found]
        return {
          platform: connected,
          branch: (gate ?? drive)?.branch ?? null,
          gate: actingOf(gate, "gate"),
          drive: actingOf(drive, "drive"),
          isReady: connected !== null && Readiness.isReady(steps),
          steps,
          assumptions: Readiness.assumptions
        } as const
      })

      const writing = Effect.fnUntraced(function* (ref: Ref) {
        if (Option.isNone(setup) || Option.isNone(forge)) return [unconnected.message]
        const commit = yield* setup.value.commitOf(ref)
        const at = Instant.toIso(yield* Clock.currentTimeMillis)
        // Publication skips a report that equals the shown one.
        const summary = `A person asked at ${at} whether the connection works. Nothing depends on this check.`
        yield* forge.value.publish(ref, { ...probeReport, commit, summary })
        if (!(yield* setup.value.isShown(ref, commit, probeReport.name))) {
          return [`The check on ${commit.slice(0, 10)} was written, and the platform does not show it.`]
        }
        yield* noted(sightings, ref, "check", probeReport.name)
        return []
      })

      const running = Effect.fnUntraced(function* (ref: Ref, commit: string) {
        if (Option.isNone(forge)) return [unconnected.message]
        if ((yield* forge.value.rerunFailedJobs(ref, commit)) === 0) {
          return [
            `No failed job of ${commit.slice(0, 10)} could run again: name a commit whose run has ended with one.`
          ]
        }
        yield* noted(sightings, ref, "rerun", "probe")
        return []
      })

      const probe = Effect.fn("PlatformChecks.probe")(function* (ref: Ref, { isWriting, rerun }: Probe) {
        yield* Lookup.repository(repositories)(ref)
        const tries = [...(isWriting ? [writing(ref)] : []), ...(rerun === null ? [] : [running(ref, rerun)])]
        const outcomes = yield* Effect.forEach(tries, (each) =>
          Effect.catchTag(each, "ForgeError", ({ message, operation }: ForgeError) =>
            Effect.succeed([`The platform refused ${operation}: ${message}`])
          )
        )
        return outcomes.flat()
      })

      const waive = Effect.fn("PlatformChecks.waive")(function* (ref: Ref, waiver: Parameters<Waive>[1]) {
        const { branch: asked, by, reason } = waiver
        const gate = yield* acting(ref, asked)
        if (gate === null) {
          return yield* new QueueNotGated({ owner: ref.owner, repository: ref.repository, branch: asked ?? "" })
        }
        const { branch } = gate
        const at = yield* Clock.currentTimeMillis
        yield* note({ before: null, after: { branch, reason } })
        const mode = gate.configuration.mode === "drive" ? { mode: "drive" as const } : {}
        const causes = [{ kind: "trial_waived", reason, by, ...mode } as const]
        yield* engines.append(ref, branch, { at, causes, decide: () => ({ events: [] }) })
        yield* engines.wake(ref, branch, at)
        return branch
      })

      return PlatformChecks.of({ report, probe, waive })
    })
  )
}

const actingOf = (
  found: {
    readonly configuration: EngineConfiguration.EngineConfiguration
    readonly state: EngineState.EngineState
  } | null,
  mode: "gate" | "drive"
): Acting => {
  if (found === null) return "off"
  const { configuration } = found.state
  if (configuration?.mode === mode && !configuration.shadow) return "acting"
  return found.configuration.shadow ? "shadow" : "held"
}

type Waive = PlatformChecks["Service"]["waive"]

/** Notes that a part of the connection was seen at work now. */
export const noted = (
  sightings: SightingStore["Service"],
  ref: Ref,
  kind: "check" | "rerun" | "delivery",
  name: string
) => Effect.flatMap(Clock.currentTimeMillis, (at) => sightings.note(ref, { kind, name, at, detail: null }))

const unconnected = Readiness.step("platform", "missing", "This server is connected to no hosting platform.", {
  action: "Create the app, or set the token, as the page of the platform says."
})

const secretStep = (hasSecret: boolean): Readiness.Step =>
  hasSecret
    ? Readiness.step("webhook secret", "ok", "The server knows the secret of the webhook.")
    : Readiness.step("webhook secret", "missing", "The server knows no secret of a webhook, and refuses deliveries.", {
        action: "Set the secret as the page of the platform says."
      })

/** The check that shows whether one can be written. */
const probeReport = {
  name: "lazaret/check",
  conclusion: "success",
  title: "Lazaret can write checks",
  annotations: [],
  actions: [],
  url: null
} as const

const rulesNow = (forge: Option.Option<QueueForge["Service"]>, ref: Ref, branch: string) =>
  Option.isNone(forge)
    ? Effect.succeed(null)
    : forge.value.rules(ref, branch).pipe(
        Effect.timeoutOption("5 seconds"),
        Effect.map(Option.getOrNull),
        Effect.orElseSucceed(() => null)
      )
