/** The formats of uploads by media type. */
import { JUnit, Limits, ParseError, type Parsed } from "@lazaret/ingest"
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as ParserThread from "./thread/ParserThread.ts"
import type { Format } from "./thread/Parsing.ts"

/** What takes the pieces of a body and yields its content at the end. */
export interface Reader<A> {
  readonly write: (chunk: Uint8Array) => Result.Result<void, ParseError.ParseError>
  readonly end: () => Effect.Effect<A, ParseError.ParseError>
}

/** Formats by media type. */
export type Formats<A> = { readonly [mediaType: string]: () => Reader<A> }

/** JUnit XML is read piece by piece as it comes. */
const junit = (): Reader<Parsed.Parsed> => {
  const reader = JUnit.make()
  return { write: reader.write, end: () => Effect.suspend(() => Effect.fromResult(reader.end())) }
}

/** Formats that are read in one go: their pieces are gathered, as long as they are few enough. */
const whole = (format: Format, most: number): (() => Reader<ReadonlyArray<Parsed.Parsed>>) => {
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
      end: () => Effect.suspend(() => ParserThread.parse(format, Buffer.concat(chunks)))
    }
  }
}

/** A format whose bodies hold exactly one report. */
const single =
  (make: () => Reader<ReadonlyArray<Parsed.Parsed>>): (() => Reader<Parsed.Parsed>) =>
  () => {
    const reader = make()
    return { write: reader.write, end: () => Effect.flatMap(reader.end(), ([report]) => onlyReport(report)) }
  }

const onlyReport = (report: Parsed.Parsed | undefined): Effect.Effect<Parsed.Parsed> =>
  report === undefined ? Effect.die(new Error("a parser yielded no report")) : Effect.succeed(report)

const { jsonLength } = Limits.standard

/** Spans are read out of the bytes where they lie. */
const protobufLength = 256 * 1024 * 1024

/** Test reports: JUnit XML and CTRF. */
export const reports: Formats<Parsed.Parsed> = {
  "application/xml": junit,
  "text/xml": junit,
  "application/json": single(whole("ctrf", jsonLength))
}

/** Requests with test spans: OTLP as protobuf and as JSON. */
export const traces: Formats<ReadonlyArray<Parsed.Parsed>> = {
  "application/x-protobuf": whole("otlp_protobuf", protobufLength),
  "application/json": whole("otlp_json", jsonLength)
}

/** The media type of a body, JSON when the request does not say. */
export const mediaType = (request: HttpServerRequest.HttpServerRequest): string =>
  (request.headers["content-type"] ?? "application/json").split(";", 1)[0]?.trim().toLowerCase() ?? ""
