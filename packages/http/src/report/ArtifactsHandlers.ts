/** The handler of the operation on artifacts. */
import { Api, type Schemas } from "@lazaret/api"
import { Artifacts, type BackfillStep } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as LongAnswer from "../response/LongAnswer.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/** The handler over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "artifacts",
  Effect.fnUntraced(function* (handlers) {
    const artifacts = yield* Artifacts
    return handlers.handleAll({
      backfillRepository: ({ params, payload: { from, page = 1 } }) =>
        artifacts.backfill(params, { from, page }).pipe(Effect.map(stepOf), ServiceErrors.toProblem, LongAnswer.json)
    })
  })
)

const stepOf = ({
  duplicates,
  nextPage,
  problems,
  recorded,
  ...step
}: BackfillStep): typeof Schemas.BackfillStep.Type => ({
  ...step,
  next_page: nextPage,
  executions: { recorded, duplicates },
  problems: problems.slice(0, 100)
})
