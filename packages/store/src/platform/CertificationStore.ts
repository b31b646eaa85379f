/** The port of certifications, and its rules over a driver. */
import { PlatformCertification, type Repository } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { Driver, View } from "../Driver.ts"
import { certifications } from "../Rows.ts"
import type { StoreError } from "../StoreError.ts"

type Certification = PlatformCertification.PlatformCertification

/**
 * Keeps the last certification of each repository and host.
 *
 * **Laws**
 *
 * - *One at a time.* Of several that begin concurrently for one repository and host, one is stored.
 * - *Fenced.* Only the certification that is stored last is updated, and only until it has ended.
 */
export class CertificationStore extends Context.Service<
  CertificationStore,
  {
    /**
     * Stores a new certification, unless another one of the host runs at its `startedAt`: then yields that one. Changes nothing where the
     * repository does not exist.
     */
    readonly begin: (
      ref: Repository.RepositoryRef,
      begun: Certification
    ) => Effect.Effect<Option.Option<Certification>, StoreError>
    /** Replaces a certification that has not ended, by its id; yields whether it did. */
    readonly update: (ref: Repository.RepositoryRef, changed: Certification) => Effect.Effect<boolean, StoreError>
    /** The certification that began last; of several the one of the first host. */
    readonly latest: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<Certification>, StoreError>
  }
>()("@lazaret/store/CertificationStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): CertificationStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): CertificationStore["Service"] =>
  CertificationStore.of({
    begin: (ref, begun) =>
      driver.transact("CertificationStore.begin", ref, null, (transaction) =>
        Effect.gen(function* () {
          const known = yield* ofHost(transaction, begun.host)
          const runs = known !== undefined && PlatformCertification.stateOf(known, begun.startedAt) === "running"
          if (runs) return Option.some(known)
          yield* transaction.put(certifications, [begun])
          return Option.none()
        })
      ),
    update: (ref, changed) =>
      driver.transact("CertificationStore.update", ref, null, (transaction) =>
        Effect.gen(function* () {
          const known = yield* ofHost(transaction, changed.host)
          if (known === undefined || known.id !== changed.id || known.endedAt !== null) return false
          yield* transaction.put(certifications, [changed])
          return true
        })
      ),
    latest: (ref) =>
      driver.read("CertificationStore.latest", ref, (view) =>
        Effect.map(view.select(certifications, { where: [], order: ["host"] }), (rows) =>
          Option.fromUndefinedOr(rows.toSorted((a, b) => b.startedAt - a.startedAt)[0])
        )
      )
  })

const ofHost = (view: View, host: string) =>
  Effect.map(view.select(certifications, { where: [["host", "=", host]], order: [] }), ([row]) => row)
