/** The use case of the buttons of a check: people press them at the hosting platform. */
import { Event, Repository } from "@lazaret/domain"
import { EventStore, SightingStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { note } from "../answer/AuditNote.ts"
import { type AuditedAction, Audits } from "../access/Audits.ts"
import { Forge, type ForgeError } from "../ports/Forge.ts"
import * as FailureReport from "./FailureReport.ts"
import { noted } from "./PlatformChecks.ts"
import { CommitVerdicts } from "./Publications.ts"
import { Quarantines } from "../quarantine/Quarantines.ts"
import { DeliveryRefused } from "../answer/ServiceError.ts"

/** A press: the id of the delivery that reported it, the id of the button, the commit of the check, and the account. */
export interface Press {
  readonly delivery: string
  readonly action: string
  readonly commit: string
  readonly by: string
}

/** The outcome of a press. */
export type PressOutcome =
  | { readonly _tag: "FailedJobsRerun"; readonly runs: number }
  | { readonly _tag: "FlakyTestsQuarantined"; readonly tests: number }
  | { readonly _tag: "ActionUnknown"; readonly action: string }
  | { readonly _tag: "ActionFailed"; readonly reason: string }

/** Carries a press out. */
export interface CarryOut {
  (ref: Repository.RepositoryRef, press: Press): Effect.Effect<PressOutcome, DeliveryRefused | StoreError>
}

/**
 * Carries presses out. Without a platform every button is unknown.
 *
 * **Laws**
 *
 * - A delivery is carried out at most once: its id is an event of the log. A repeated delivery is refused.
 * - A press on a repository where the app is not installed is refused, and nothing is stored.
 */
export const CheckActions: Context.Reference<{ readonly press: CarryOut }> = Context.Reference<{
  readonly press: CarryOut
}>("@lazaret/services/CheckActions", {
  defaultValue: () => ({ press: (_, { action }) => Effect.succeed({ _tag: "ActionUnknown", action }) })
})

/** The use case over the log, the verdicts, the quarantine list and a platform. */
export const checkActions = Layer.effect(
  CheckActions,
  Effect.gen(function* () {
    const events = yield* EventStore
    const verdicts = yield* CommitVerdicts
    const quarantines = yield* Quarantines
    const forge = yield* Forge
    const audits = yield* Audits
    const sightings = yield* SightingStore

    const quarantineFlaky = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, { by, commit }: Press) {
      const found = yield* verdicts.ofCommit(ref, commit)
      const flaky = Option.match(found, { onNone: () => [], onSome: FailureReport.quarantinable })
      const started = yield* Effect.forEach(flaky, ({ reason, testName }) =>
        Effect.result(
          quarantines.create(ref, { testName, reason, branch: null, source: "manual", by: `GitHub user ${by}` })
        )
      )
      const tests = started.filter(Result.isSuccess).length
      yield* note({ before: null, after: { tests } })
      return { _tag: "FlakyTestsQuarantined", tests } as const
    })

    const carryOut = (
      ref: Repository.RepositoryRef,
      press: Press
    ): Effect.Effect<PressOutcome, ForgeError | StoreError> =>
      press.action === FailureReport.actions.rerun.id
        ? forge.rerunFailedJobs(ref, press.commit).pipe(
            Effect.tap((runs) => (runs === 0 ? Effect.void : noted(sightings, ref, "rerun", "button"))),
            Effect.map((runs) => ({ _tag: "FailedJobsRerun", runs }) as const)
          )
        : quarantineFlaky(ref, press)

    return {
      press: Effect.fn("CheckActions.press")(function* (ref: Repository.RepositoryRef, press: Press) {
        if (!FailureReport.isAction(press.action)) return { _tag: "ActionUnknown", action: press.action } as const
        yield* forge.repository(ref).pipe(
          Effect.asVoid,
          Effect.catchTag("ForgeError", (error) =>
            isTransient(error) ? Effect.void : Effect.fail(refused(ref, "not_installed"))
          )
        )
        const event = Event.actionRequested(press, yield* Clock.currentTimeMillis)
        const appended = yield* events.append(ref, [event], event.at)
        if (appended === 0) return yield* refused(ref, "replayed")
        const recorded = audits.record(actionOf(ref, press), carryOut(ref, press))
        return yield* Effect.catchTag(recorded, "ForgeError", ({ message }) =>
          Effect.succeed<PressOutcome>({ _tag: "ActionFailed", reason: message })
        )
      })
    }
  })
)

/** The person is known at the platform alone: the address of the delivery is that of the platform. */
const actionOf = ({ owner, repository }: Repository.RepositoryRef, { action, by, commit }: Press): AuditedAction => ({
  actor: { kind: "user", id: `github:${by}`, name: by },
  address: null,
  action: `checkAction.${action}`,
  owner,
  repository: Repository.key({ owner, repository }),
  target: { commit }
})

const isTransient = ({ reason }: ForgeError): boolean => reason === "unavailable" || reason === "rate_limited"

const refused = ({ owner, repository }: Repository.RepositoryRef, reason: "replayed" | "not_installed") =>
  new DeliveryRefused({ owner, repository, reason })
