/** The port of application keys (interface 5). */
import type { ApplicationKey } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

/**
 * The outcome of a revocation.
 *
 * **Details**
 *
 * - `unknown`: the key is unknown or revoked already; nothing changed.
 * - `last`: it is the last key in force that administers the whole store (`ApplicationKey.isRoot`), and stays in force.
 */
export type Revocation = "revoked" | "unknown" | "last"

/** The port of application keys. Only the hash of a secret is ever stored. */
export class KeyStore extends Context.Service<
  KeyStore,
  {
    /** Stores a key; `false`, and nothing stored, when its id or hash is taken. */
    readonly insert: (key: ApplicationKey.ApplicationKey) => Effect.Effect<boolean, StoreError>
    /** The key whose secret has this hash, revoked ones included. */
    readonly find: (hash: string) => Effect.Effect<Option.Option<ApplicationKey.ApplicationKey>, StoreError>
    /** The key of this id, revoked ones included. */
    readonly get: (id: string) => Effect.Effect<Option.Option<ApplicationKey.ApplicationKey>, StoreError>
    /** All keys in the order of creation, then id. */
    readonly list: Effect.Effect<ReadonlyArray<ApplicationKey.ApplicationKey>, StoreError>
    /** Revokes a key. Of concurrent revocations of all root keys, also by several processes, one answers `last`. */
    readonly revoke: (id: string, at: number) => Effect.Effect<Revocation, StoreError>
  }
>()("@lazaret/store/KeyStore") {}
