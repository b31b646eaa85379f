/** The handlers of the routes of uploaded CODEOWNERS: one use case each. */
import { Api, Principal, type Schemas } from "@lazaret/api"
import { OwnersFiles, type OwnersState } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "owners",
  Effect.fnUntraced(function* (handlers) {
    const files = yield* OwnersFiles

    return handlers.handleAll({
      getOwnersFile: ({ params }) => files.state(params).pipe(Effect.map(stateOf), ServiceErrors.toProblem),
      uploadOwners: {
        handler: ({ params, payload: { dialect = null, text } }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            files.upload(params, { text, dialect, by: subject }).pipe(Effect.map(stateOf), ServiceErrors.toProblem)
          ),
        options
      },
      removeOwnersFile: { handler: ({ params }) => ServiceErrors.toProblem(files.remove(params)), options }
    })
  })
)

const stateOf = ({ rules, source, uploaded }: OwnersState): typeof Schemas.OwnersState.Type => ({
  source,
  rules,
  uploaded:
    uploaded === null
      ? null
      : {
          text: uploaded.text,
          dialect: uploaded.dialect,
          uploaded_at: uploaded.uploadedAt,
          uploaded_by: uploaded.uploadedBy
        }
})
