/**
 * The certification of a hosting platform: the cases that a driven queue depends on, run on a scratch repository.
 *
 * See `docs/how-to/drive-the-merge-queue.md`.
 */
import type { Repository } from "@lazaret/domain"
import { Effect, Result } from "effect"
import type { ForgeError } from "../ports/Forge.ts"
import { type Case, cases, type Platform } from "./CertificationCase.ts"

/** The outcome of a case; `fault` is null where it holds. */
export interface Certified {
  readonly name: string
  readonly fault: string | null
}

/** The folder of the branches of certifications. */
const folder = "lazaret/certify"

/**
 * Runs every case, and removes what they made.
 *
 * **Details**
 *
 * Writes to branches below `lazaret/certify/`, which it makes and removes, and opens pull requests onto them, which it closes. No
 * other branch is written to. `id` makes the names of one certification its own.
 */
export const run = Effect.fnUntraced(function* (
  platform: Platform,
  ref: Repository.RepositoryRef,
  id: string,
  all: ReadonlyArray<Case> = cases
) {
  const first = yield* platform.scratch.first(ref)
  const outcomes = yield* Effect.forEach(all, (each, index) =>
    outcomeOf(platform, { ref, first, name: `${folder}/${id}/${index}` }, each)
  )
  yield* Effect.ignore(clean(platform, ref, `${folder}/${id}/`))
  return outcomes
})

interface Start {
  readonly ref: Repository.RepositoryRef
  readonly first: string
  readonly name: string
}

const outcomeOf = (platform: Platform, { first, name, ref }: Start, { name: sentence, run: proof }: Case) =>
  Effect.gen(function* () {
    const base = `${name}/base`
    yield* platform.drive.publish(ref, { name: base, sha: first })
    return yield* proof(platform, { ref, name, base, first })
  }).pipe(
    Effect.result,
    Effect.map((result): Certified => ({
      name: sentence,
      fault: Result.isFailure(result) ? faultOf(result.failure) : result.success
    }))
  )

const faultOf = ({ message, operation }: ForgeError): string => `The platform refused ${operation}: ${message}`

/** Removes the branches; open pull requests from them close with them. */
const clean = Effect.fnUntraced(function* ({ drive }: Platform, ref: Repository.RepositoryRef, prefix: string) {
  for (const { name } of yield* drive.branches(ref, prefix)) yield* drive.discard(ref, name)
})

/** Whether a platform may drive queues. */
export const isPassed = (outcomes: ReadonlyArray<Certified>): boolean =>
  outcomes.length > 0 && outcomes.every(({ fault }) => fault === null)
