/** Upkeep on the wire. */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import type { Verification as Verified } from "@lazaret/services"

/** The verification of a repository as the wire shows it. */
export const of = (
  { owner, repository }: Repository.RepositoryRef,
  { differences, total }: Verified
): typeof Schemas.Verification.Type => ({ owner, repository, differences, total })
