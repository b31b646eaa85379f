/** Sightings of a hosting platform: proofs that a part of the connection to a repository has worked. */
import * as Instant from "../time/Instant.ts"

/** The parts of a connection that are seen at work. */
export const kinds = ["delivery", "check", "rerun", "repository", "installation", "certification"] as const

/**
 * The last sighting of one kind and name.
 *
 * **Details**
 *
 * - `delivery`: a delivery arrived; `name` is its event. `check`: a check of this name was written and read back.
 *   `rerun`: the platform accepted to run failed jobs again; `name` says who asked.
 * - `repository` and `installation`: the platform changed the repository, or the installation of the app; `name` is the change.
 * - `certification`: everything that a driven queue depends on was tried on a scratch repository of the platform; `name` is its host.
 * - `detail`: what else the platform said, null for nothing.
 */
export interface PlatformSighting {
  readonly kind: (typeof kinds)[number]
  readonly name: string
  readonly at: Instant.Instant
  readonly detail: string | null
}

/** A sighting that repeats another one within this time is not kept: people look for a day or an hour, not for a second. */
const grain = 5 * Instant.minute

/** The one of two sightings of one kind and name to keep: the later one, and the known one when the other only repeats it. */
export const latest = (known: PlatformSighting | undefined, seen: PlatformSighting): PlatformSighting => {
  if (known === undefined) return seen
  const isNews = known.detail !== seen.detail || seen.at - known.at >= grain
  return seen.at > known.at && isNews ? seen : known
}
