/**
 * The formats of uploads by media type.
 *
 * @since 0.1.0
 */
import { Ctrf, JUnit, Limits, Otlp, ParseError, type Parsed } from "@lazaret/ingest"
import { Result } from "effect"
import type { HttpServerRequest } from "effect/http"

/**
 * What takes the pieces of a body and yields its content at the end.
 *
 * @category models
 * @since 0.1.0
 */
export interface Reader<A> {
  readonly write: (chunk: Uint8Array) => Result.Result<void, ParseError.ParseError>
  readonly end: () => Result.Result<A, ParseError.ParseError>
}

/**
 * Formats by media type.
 *
 * @category models
 * @since 0.1.0
 */
export type Formats<A> = { readonly [mediaType: string]: () => Reader<A> }

/** Formats that are read at once: their pieces are gathered, as long as they are few enough. */
const whole = <A>(
  most: number,
  parse: (bytes: Uint8Array) => Result.Result<A, ParseError.ParseError>
): (() => Reader<A>) => {
  const tooLarge = ParseError.whole(
    "too_large",
    `A body of this type may have ${most} bytes when unpacked: send it in several uploads.`
  )
  return () => {
    const chunks: Array<Uint8Array> = []
    let total = 0
    return {
      write: (chunk) => {
        total += chunk.length
        if (total > most) return Result.fail(tooLarge)
        chunks.push(chunk)
        return Result.void
      },
      end: () => parse(Buffer.concat(chunks))
    }
  }
}

const { jsonLength } = Limits.standard

/** Spans are read out of the bytes where they lie. */
const protobufLength = 256 * 1024 * 1024

/**
 * Test reports: JUnit XML and CTRF.
 *
 * @category constants
 * @since 0.1.0
 */
export const reports: Formats<Parsed.Parsed> = {
  "application/xml": () => JUnit.make(),
  "text/xml": () => JUnit.make(),
  "application/json": whole(jsonLength, (bytes) => Ctrf.parse(bytes))
}

/**
 * Requests with test spans: OTLP as protobuf and as JSON.
 *
 * @category constants
 * @since 0.1.0
 */
export const traces: Formats<ReadonlyArray<Otlp.OtlpReport>> = {
  "application/x-protobuf": whole(protobufLength, (bytes) => Otlp.parseProtobuf(bytes)),
  "application/json": whole(jsonLength, (bytes) => Otlp.parseJson(bytes))
}

/**
 * The media type of a body, JSON when the request does not say.
 *
 * @category accessors
 * @since 0.1.0
 */
export const mediaType = (request: HttpServerRequest.HttpServerRequest): string =>
  (request.headers["content-type"] ?? "application/json").split(";", 1)[0]?.trim().toLowerCase() ?? ""
