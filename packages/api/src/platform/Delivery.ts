/** The parts that the operations share that hosting platforms call. */
import { HttpApiSchema } from "effect/http-api"
import * as Problem from "../definition/Problem.ts"
import { PlatformEventAnswer } from "../queue/PlatformEvent.ts"

/** The answer to a delivery. */
export const success = PlatformEventAnswer.pipe(HttpApiSchema.status(202))

/** The refusals of a delivery. */
export const error = [
  Problem.Forbidden,
  Problem.NotFound,
  Problem.Conflict,
  Problem.ContentTooLarge,
  Problem.UnsupportedMediaType,
  Problem.Unprocessable,
  Problem.Unavailable
] as const
