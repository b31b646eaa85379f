/** The account and the repository of a CI system that a name stands for, as the first token of the name proved them (our choice). */
import type { Instant } from "../time/Instant.ts"
import type { TokenOrigin } from "./UploadOrigin.ts"

/**
 * The account or the repository that a name stands for at an issuer.
 *
 * **Details**
 *
 * A platform gives a free name to the next account that registers it, and never gives a number twice. So a token of the same name and
 * another number is of somebody else, until an administrator removes the pin.
 *
 * - `repository`: null for the pin of the owner itself, which holds for repositories that have none yet.
 * - `platformId`: the number of the owner or of the repository at the platform.
 */
export interface OriginPin {
  readonly id: string
  readonly issuer: string
  readonly owner: string
  readonly repository: string | null
  readonly platformId: string
  readonly createdAt: Instant
}

/** The key of a pin, which no two pins share: the issuer and the name in lower case. */
export const subject = ({ issuer, owner, repository }: Pick<OriginPin, "issuer" | "owner" | "repository">): string =>
  JSON.stringify([issuer, owner.toLowerCase(), repository?.toLowerCase() ?? null])

/** The pins that a token proves: of its owner, and of its repository. */
export const of = (
  { platform: { issuer, ownerId, repositoryId }, repository }: TokenOrigin,
  ids: readonly [owner: string, repository: string],
  createdAt: Instant
): ReadonlyArray<OriginPin> => [
  { id: ids[0], issuer, owner: repository.owner, repository: null, platformId: ownerId, createdAt },
  { id: ids[1], issuer, ...repository, platformId: repositoryId, createdAt }
]
