/** The authentication and authorisation of a caller (interface 5). */
import { ApplicationKey, Credential, Repository, Role, type Session } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HostingPlatform } from "../ports/HostingPlatform.ts"
import { KeyRegistry, secretPrefix } from "./KeyRegistry.ts"
import { OriginPins } from "./OriginPins.ts"
import { Roles } from "./Roles.ts"
import { isSessionSecret, Sessions } from "./Sessions.ts"
import { type IssuerUnavailable, TokenRefused } from "../answer/ServiceError.ts"
import { UploadTokens } from "./UploadTokens.ts"

/**
 * Decides access: none for a missing, unknown, revoked or unauthorised credential, without a reason.
 *
 * A token of a CI system uploads to its own repository only. Its faults are errors with a reason: its holder knows all of it.
 */
export class Access extends Context.Service<
  Access,
  {
    /** The principal of a credential that meets the demand on this repository. */
    readonly principal: (
      credential: Redacted.Redacted,
      ref: Repository.RepositoryRef,
      demand: Credential.Demand
    ) => Effect.Effect<Option.Option<Credential.Principal>, TokenRefused | IssuerUnavailable | StoreError>
    /** The principal of an application key, or of a CI system's token, that meets the demand of a route that names no repository. */
    readonly application: (
      credential: Redacted.Redacted,
      demand: Credential.Demand
    ) => Effect.Effect<Option.Option<Credential.Principal>, TokenRefused | IssuerUnavailable | StoreError>
  }
>()("@lazaret/services/Access") {
  /** Application keys first, then tokens of CI systems, then the hosting platform. */
  static readonly layer = Layer.effect(
    Access,
    Effect.gen(function* () {
      const keys = yield* KeyRegistry
      const platform = yield* HostingPlatform
      const tokens = yield* UploadTokens
      const pins = yield* OriginPins
      const sessions = yield* Sessions
      const roles = yield* Roles

      const ofRun = Effect.fnUntraced(function* (
        token: Redacted.Redacted,
        demand: Credential.Demand,
        ref?: Repository.RepositoryRef
      ) {
        if (!Credential.accepts(demand, "upload")) return Option.none()
        const origin = yield* tokens.originOf(token)
        if (Option.isNone(origin)) return Option.none()
        const { repository, subject } = origin.value
        if (ref !== undefined && Repository.key(repository) !== Repository.key(ref)) {
          return yield* new TokenRefused({
            reason: `It belongs to the repository ${repository.owner}/${repository.repository}, and may upload only to that one.`
          })
        }
        if (ref !== undefined) yield* pins.confirm(origin.value)
        return Option.some<Credential.Principal>({ kind: "ci", subject, key: null, origin: origin.value })
      })

      /** The key of a session is asked for each time: a session ends with its key. */
      const ofSession = Effect.fnUntraced(function* (
        credential: Redacted.Redacted,
        demand: Credential.Demand,
        ref: Repository.RepositoryRef | null
      ) {
        const found = yield* sessions.authenticate(credential)
        if (Option.isNone(found)) return Option.none()
        const session = found.value
        if (session.kind === "user") {
          const person = yield* roles.withGrants(userOf(session), demand, ref)
          return Role.permits(person.grants, demand, ref)
            ? Option.some({ ...Credential.ofUser(person), sessionId: session.id })
            : Option.none()
        }
        const key = yield* keys.inForce(session.subjectId)
        return Option.map(
          Option.filter(key, (each) => isMetBy(demand, each, ref)),
          (each): Credential.Principal => ({ ...Credential.ofKey(each), sessionId: session.id })
        )
      })

      const application = Effect.fnUntraced(function* (credential: Redacted.Redacted, demand: Credential.Demand) {
        if (isSessionSecret(credential)) return yield* ofSession(credential, demand, null)
        const key = yield* keys.authenticate(credential)
        if (Option.isNone(key) && isToken(credential)) return yield* ofRun(credential, demand)
        return Option.map(
          Option.filter(key, (found) => isMetBy(demand, found, null)),
          Credential.ofKey
        )
      })

      const ofPlatform = Effect.fnUntraced(function* (
        credential: Redacted.Redacted,
        ref: Repository.RepositoryRef,
        demand: Credential.Demand
      ) {
        // Never send a key of Lazaret to the platform, not even a mistyped, revoked or foreign one.
        if (!demand.kinds.includes("platform") || isKeyOfLazaret(credential)) return Option.none()
        const permission = yield* platform.permission(Redacted.value(credential), ref)
        return suffices(permission, demand) ? Option.some(platformPrincipal) : Option.none()
      })

      const principal = Effect.fnUntraced(function* (
        credential: Redacted.Redacted,
        ref: Repository.RepositoryRef,
        demand: Credential.Demand
      ) {
        if (Redacted.value(credential) === "") return Option.none()
        if (isSessionSecret(credential)) return yield* ofSession(credential, demand, ref)
        const key = yield* keys.authenticate(credential)
        if (Option.isNone(key)) {
          return yield* isToken(credential) ? ofRun(credential, demand, ref) : ofPlatform(credential, ref, demand)
        }
        return isMetBy(demand, key.value, ref) ? Option.some(Credential.ofKey(key.value)) : Option.none()
      })

      return Access.of({ principal, application })
    })
  )
}

/** Whether a key meets a demand on a repository, or (null) on none. */
const isMetBy = (
  demand: Credential.Demand,
  key: ApplicationKey.ApplicationKey,
  ref: Repository.RepositoryRef | null
): boolean =>
  Credential.accepts(demand, key.scope) &&
  (ref === null ? demand.reach === undefined || key.owner === null : ApplicationKey.reaches(key, ref))

const userOf = ({ grants, name, provider, subjectId }: Session.Session): Credential.User => ({
  provider,
  id: subjectId,
  login: name,
  grants
})

const isToken = (credential: Redacted.Redacted): boolean => Credential.isSignedToken(Redacted.value(credential))

const isKeyOfLazaret = (credential: Redacted.Redacted): boolean => Redacted.value(credential).startsWith(secretPrefix)

const platformPrincipal: Credential.Principal = { kind: "platform", subject: "hosting platform token", key: null }

const suffices = (permission: "none" | "read" | "write", demand: Credential.Demand): boolean =>
  permission === "write" || (permission === "read" && demand.permission === "read")
