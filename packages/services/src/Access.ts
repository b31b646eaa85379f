/** Who is calling, and whether that reaches a repository (interface 5). */
import { ApplicationKey, type Repository } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HostingPlatform } from "./HostingPlatform.ts"
import { Keys } from "./Keys.ts"

/** The kinds of credential (interface 5.2): Admin Application Key, CI Application Key, Hosting Platform Token. */
export type CredentialKind = "admin" | "ci" | "platform"

/**
 * What a route asks of a credential.
 *
 * **Details**
 *
 * `reach`: the route concerns every owner, and so must the key.
 */
export interface Demand {
  readonly kinds: ReadonlyArray<CredentialKind>
  readonly permission: "read" | "write"
  readonly reach?: "all owners"
}

/** Who is calling: the kind of credential, and a name for the records that holds no secret. */
export class Principal extends Context.Service<
  Principal,
  { readonly kind: CredentialKind; readonly subject: string; readonly key: ApplicationKey.ApplicationKey | null }
>()("@lazaret/services/Principal") {}

/** Decides access: none for a missing, unknown, revoked or unfit credential, whatever the reason. */
export class Access extends Context.Service<
  Access,
  {
    /** The principal of a credential that meets the demand on this repository. */
    readonly principal: (
      credential: Redacted.Redacted,
      ref: Repository.RepositoryRef,
      demand: Demand
    ) => Effect.Effect<Option.Option<Principal["Service"]>, StoreError>
    /** The principal of an application key that meets the demand of a route that names no repository. */
    readonly application: (
      credential: Redacted.Redacted,
      demand: Demand
    ) => Effect.Effect<Option.Option<Principal["Service"]>, StoreError>
  }
>()("@lazaret/services/Access") {
  /** Application keys first, then the hosting platform. */
  static readonly layer = Layer.effect(
    Access,
    Effect.gen(function* () {
      const keys = yield* Keys
      const platform = yield* HostingPlatform

      const application = Effect.fnUntraced(function* (credential: Redacted.Redacted, { kinds, reach }: Demand) {
        const key = yield* keys.authenticate(credential)
        return Option.map(
          Option.filter(key, ({ owner, scope }) => kinds.includes(scope) && (reach === undefined || owner === null)),
          principalOf
        )
      })

      const ofPlatform = Effect.fnUntraced(function* (
        credential: Redacted.Redacted,
        ref: Repository.RepositoryRef,
        demand: Demand
      ) {
        if (!demand.kinds.includes("platform")) return Option.none()
        const permission = yield* platform.permission(Redacted.value(credential), ref)
        return suffices(permission, demand) ? Option.some(platformPrincipal) : Option.none()
      })

      const principal = Effect.fnUntraced(function* (
        credential: Redacted.Redacted,
        ref: Repository.RepositoryRef,
        demand: Demand
      ) {
        if (Redacted.value(credential) === "") return Option.none()
        const key = yield* keys.authenticate(credential)
        if (Option.isNone(key)) return yield* ofPlatform(credential, ref, demand)
        const fits = demand.kinds.includes(key.value.scope) && ApplicationKey.reaches(key.value, ref)
        return fits ? Option.some(principalOf(key.value)) : Option.none()
      })

      return Access.of({ principal, application })
    })
  )
}

const principalOf = (key: ApplicationKey.ApplicationKey): Principal["Service"] => ({
  kind: key.scope,
  subject: `key ${key.id}`,
  key
})

const platformPrincipal: Principal["Service"] = { kind: "platform", subject: "hosting platform token", key: null }

const suffices = (permission: "none" | "read" | "write", demand: Demand): boolean =>
  permission === "write" || (permission === "read" && demand.permission === "read")
