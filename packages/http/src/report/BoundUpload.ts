/** The run that an upload may name: any with a key, and with the token of a CI system the one that the token proves. */
import { Principal, Problem } from "@lazaret/api"
import { UploadOrigin } from "@lazaret/domain"
import { hashOf, type Upload } from "@lazaret/services"
import { Effect } from "effect"

/**
 * The upload, bound to the run of the token that sent it; a contradiction between the two is refused.
 *
 * Idempotency keys of a token are those of its run: a job of a fork cannot take the key of another job's upload.
 */
export const of = (upload: Upload): Effect.Effect<Upload, Problem.Forbidden, Principal> =>
  Effect.flatMap(Principal, ({ origin }) =>
    origin === undefined
      ? Effect.succeed(upload)
      : Effect.fromResult(UploadOrigin.bind(origin, upload.run)).pipe(
          Effect.map((run) => ({ ...upload, run, idempotencyKey: keyOf(origin, upload) })),
          Effect.mapError(refusal)
        )
  )

const keyOf = ({ subject }: UploadOrigin.UploadOrigin, { idempotencyKey = null }: Upload): string | null =>
  idempotencyKey === null ? null : hashOf(`${subject}\0${idempotencyKey}`)

const refusal = ({ proven, stated, what }: UploadOrigin.Mismatch): Problem.Forbidden =>
  new Problem.Forbidden({
    detail:
      `The token of the CI system proves the ${what} ${JSON.stringify(proven)}, and the report says ` +
      `${JSON.stringify(stated.slice(0, 300))}. Leave it out, or upload with an application key.`
  })
