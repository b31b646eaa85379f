/** The use cases of application keys (interface 5). */
import { hash, randomBytes } from "node:crypto"
import { ApplicationKey } from "@lazaret/domain"
import { KeyStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { NewId } from "../ports/NewId.ts"
import { KeyNotFound, LastAdminKey } from "../answer/ServiceError.ts"

/** The fields of a new key. `owner` null reaches all owners. */
export interface NewKey {
  readonly name: string
  readonly owner: string | null
  readonly scope: ApplicationKey.Scope
}

/** A new key with its secret, which is shown only once. */
export interface IssuedKey {
  readonly key: ApplicationKey.ApplicationKey
  readonly secret: Redacted.Redacted
}

/** The first characters of every secret that Lazaret generates. */
export const secretPrefix = "lzr_"

/** The hash under which a secret is stored: SHA-256 in lower-case hexadecimal. */
export const hashOf = (secret: string): string => hash("sha256", secret, "hex")

/** How long a key that was found is used without another look-up, in nanoseconds. */
const second = 1_000_000_000n

/** How many keys are used without a look-up. */
const mostKnown = 10_000

/** Issues, finds and revokes application keys. */
export class KeyRegistry extends Context.Service<
  KeyRegistry,
  {
    /** Makes a key with a new secret of 256 random bits. */
    readonly issue: (key: NewKey) => Effect.Effect<IssuedKey, StoreError>
    /** Registers a secret that a user chose; registering it again changes nothing. */
    readonly register: (key: NewKey, secret: Redacted.Redacted) => Effect.Effect<void, StoreError>
    /**
     * Registers the admin key that a server starts with, and yields whether it is in force: a secret that was revoked
     * stays so. With `replaces` those that servers started with before are revoked, unless this one is.
     */
    readonly start: (
      secret: Redacted.Redacted,
      options: { readonly replaces: boolean }
    ) => Effect.Effect<boolean, StoreError>
    /**
     * The key of a secret, if it is known and not revoked. An answer is used again for a second: a revocation by another server
     * acts within this time, one by this server at once.
     */
    readonly authenticate: (
      secret: Redacted.Redacted
    ) => Effect.Effect<Option.Option<ApplicationKey.ApplicationKey>, StoreError>
    /**
     * As `authenticate`, for the hash of a secret at an instant of the monotonic clock: the key that is used without another
     * look-up, none where one is needed.
     */
    readonly recent: (hash: string, at: bigint) => ApplicationKey.ApplicationKey | undefined
    /** The key of an id, if it is known and not revoked. */
    readonly inForce: (id: string) => Effect.Effect<Option.Option<ApplicationKey.ApplicationKey>, StoreError>
    /** Every key, revoked ones included, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<ApplicationKey.ApplicationKey>, StoreError>
    /** Revokes a key at once, unless it is the last admin key for all owners. */
    readonly revoke: (id: string) => Effect.Effect<void, KeyNotFound | LastAdminKey | StoreError>
  }
>()("@lazaret/services/KeyRegistry") {
  /** The use cases over the storage port. */
  static readonly layer = Layer.effect(
    KeyRegistry,
    Effect.gen(function* () {
      const store = yield* KeyStore
      const newId = yield* NewId

      const insert = Effect.fnUntraced(function* (key: NewKey, secret: string) {
        const createdAt = yield* Clock.currentTimeMillis
        const stored = { ...key, id: yield* newId, hash: hashOf(secret), createdAt, revokedAt: null }
        return (yield* store.insert(stored)) ? Option.some(stored) : Option.none()
      })

      const issue = Effect.fnUntraced(function* (key: NewKey) {
        const secret = `${secretPrefix}${key.scope}_${randomBytes(32).toString("base64url")}`
        const inserted = yield* insert(key, secret)
        // Two secrets of 256 random bits are never equal.
        if (Option.isNone(inserted)) return yield* Effect.die(new Error("a new key has the id or the hash of another"))
        return { key: inserted.value, secret: Redacted.make(secret) }
      })

      /** Keys in force by the hash of their secret, with the instant of the look-up. */
      const known = new Map<string, { readonly key: ApplicationKey.ApplicationKey; readonly at: bigint }>()

      /** Counts the revocations: a look-up that one of them overtook may have found the key before. */
      let revocations = 0

      /** A key that is still in force remains the same object: of a key, only its revocation ever changes. */
      const lookUp = Effect.fnUntraced(function* (hashed: string, at: bigint) {
        const before = revocations
        const found = Option.filter(yield* store.find(hashed), (key) => key.revokedAt === null)
        const former = known.get(hashed)?.key
        if (known.size >= mostKnown) known.clear()
        return Option.map(found, (key) => {
          const kept = former?.id === key.id ? former : key
          if (revocations === before) known.set(hashed, { key: kept, at })
          return kept
        })
      })

      const recent = (hashed: string, at: bigint) => {
        const found = known.get(hashed)
        return found !== undefined && at - found.at < second ? found.key : undefined
      }

      const authenticate = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
        const hashed = hashOf(Redacted.value(secret))
        const at = yield* Clock.monotonicTimeNanos
        const key = recent(hashed, at)
        return key === undefined ? yield* lookUp(hashed, at) : Option.some(key)
      })

      const forget = () => {
        revocations += 1
        known.clear()
      }

      const revoke = Effect.fnUntraced(function* (id: string) {
        const outcome = yield* store.revoke(id, yield* Clock.currentTimeMillis)
        forget()
        if (outcome === "unknown") return yield* new KeyNotFound({ keyId: id })
        if (outcome === "last") return yield* new LastAdminKey({ keyId: id })
      })

      const start = Effect.fnUntraced(function* (
        secret: Redacted.Redacted,
        { replaces }: { readonly replaces: boolean }
      ) {
        yield* insert({ name: ApplicationKey.firstAdminName, owner: null, scope: "admin" }, Redacted.value(secret))
        const found = yield* authenticate(secret)
        if (Option.isNone(found)) return false
        const earlier = (yield* store.list).filter(
          ({ id, name, revokedAt }) =>
            name === ApplicationKey.firstAdminName && revokedAt === null && id !== found.value.id
        )
        const now = yield* Clock.currentTimeMillis
        if (replaces) yield* Effect.forEach(earlier, ({ id }) => store.revoke(id, now), { discard: true })
        forget()
        return true
      })

      return KeyRegistry.of({
        start,
        issue,
        register: (key, secret) => Effect.asVoid(insert(key, Redacted.value(secret))),
        authenticate,
        recent,
        inForce: (id) =>
          Effect.map(
            store.get(id),
            Option.filter(({ revokedAt }) => revokedAt === null)
          ),
        list: store.list,
        revoke
      })
    })
  )
}
