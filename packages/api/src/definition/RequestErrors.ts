/** The middleware that answers requests which cannot be decoded. */
import { HttpApiMiddleware } from "effect/http-api"
import * as Problem from "./Problem.ts"

/** Answers a request that cannot be decoded with one problem document that lists every fault. */
export class RequestErrors extends HttpApiMiddleware.Service<RequestErrors>()("@lazaret/api/RequestErrors", {
  error: [Problem.Unprocessable, Problem.Internal, Problem.TooManyRequests]
}) {}
