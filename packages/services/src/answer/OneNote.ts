/** The one note of a kind on a pull request, written in place. */
import type { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type { Forge } from "../ports/Forge.ts"

/** The place of a note: the pull request, and the hidden text that it begins with. */
export interface Place {
  readonly ref: Repository.RepositoryRef
  readonly number: number
  readonly marker: string
}

/** Brings the one note to a text; null removes it. A second one, of two processes at once, is removed. */
export const set = Effect.fnUntraced(function* (
  forge: Forge["Service"],
  { marker, number, ref }: Place,
  body: string | null
) {
  const [first, ...others] = yield* forge.notes(ref, number, marker)
  for (const { id } of others) yield* forge.removeNote(ref, number, id)
  if (body === null) return first === undefined ? undefined : yield* forge.removeNote(ref, number, first.id)
  if (first === undefined) return yield* forge.createNote(ref, number, body)
  if (first.body !== body) yield* forge.editNote(ref, number, { id: first.id, body })
})
