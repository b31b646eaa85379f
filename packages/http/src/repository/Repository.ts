/** Repositories on the wire: the list, and what is set for one (beyond the interface). */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import type { Listing } from "@lazaret/services"

/** The page of a listing. */
export const pageOf =
  (perPage: number) =>
  (listing: Listing.Listing<Repository.Repository>): typeof Schemas.RepositoriesPage.Type => ({
    size: listing.rows.length,
    per_page: perPage,
    repositories: listing.rows.map((row) => ({
      owner: row.owner,
      repository: row.repository,
      default_branch: row.settings.defaultBranch,
      created_at: row.createdAt
    })),
    total: listing.total
  })
