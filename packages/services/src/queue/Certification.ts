/**
 * The certification of a hosting platform: the cases that a driven queue depends on, run on a scratch repository.
 *
 * See `docs/how-to/drive-the-merge-queue.md`.
 */
import { Instant, PlatformCertification, type Repository } from "@lazaret/domain"
import { Effect, Result } from "effect"
import type { ForgeError } from "../ports/Forge.ts"
import { type Case, cases, type Platform } from "./CertificationCase.ts"

/** The cases to try, all unless others are named, and what follows each outcome. */
export interface Options<E> {
  readonly all?: ReadonlyArray<Case>
  readonly each?: (outcome: PlatformCertification.Case) => Effect.Effect<void, E>
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
export const run = Effect.fnUntraced(function* <E = never>(
  platform: Platform,
  ref: Repository.RepositoryRef,
  id: string,
  { all = cases, each = () => Effect.void }: Options<E> = {}
) {
  const first = yield* platform.scratch.first(ref)
  const outcomes = Effect.forEach(all, (proof, index) =>
    Effect.tap(outcomeOf(platform, { ref, first, name: `${folder}/${id}/${index}` }, proof), each)
  )
  return yield* Effect.ensuring(outcomes, Effect.ignore(clean(platform, ref, id)))
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
    Effect.timeoutOrElse({ duration: PlatformCertification.longestCase, orElse: () => Effect.succeed(late) }),
    Effect.result,
    Effect.map((result): PlatformCertification.Case => ({
      name: sentence,
      fault: Result.isFailure(result) ? faultOf(result.failure) : result.success
    }))
  )

const late = `It did not end within ${PlatformCertification.longestCase / Instant.minute} minutes.`

/** The sentence of a refusal. */
export const faultOf = ({ message, operation }: ForgeError): string => `The platform refused ${operation}: ${message}`

/** Removes the branches of a certification; open pull requests from them close with them. */
export const clean = Effect.fnUntraced(function* ({ drive }: Platform, ref: Repository.RepositoryRef, id: string) {
  for (const { name } of yield* drive.branches(ref, `${folder}/${id}/`)) yield* drive.discard(ref, name)
})
