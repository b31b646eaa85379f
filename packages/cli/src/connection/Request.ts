/** The parts of a request to the API in addition to its parameters. */
import { Context } from "effect"

/** Asks for the decoded answer and for the response with its body. Spread into the request of an operation. */
export const both = { responseMode: "decoded-and-response" } as const

/** The media type of a body that is streamed; null takes the first one of the operation. */
export const MediaType = Context.Reference<string | null>("@lazaret/cli/Request/MediaType", {
  defaultValue: () => null
})
