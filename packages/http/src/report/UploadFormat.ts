/** The formats of uploads. */
import { Schemas } from "@lazaret/api"
import {
  type Detection,
  GoTest,
  type JUnit,
  Limits,
  ParseError,
  type Parsed,
  ReadFormat,
  ReportReader,
  XmlReport
} from "@lazaret/ingest"
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Blocks from "./thread/Blocks.ts"
import * as HttpLimits from "../request/Limits.ts"
import * as ParserThread from "./thread/ParserThread.ts"
import type { Format } from "./thread/Parsing.ts"
import * as TextBytes from "./TextBytes.ts"

/** A reader takes the pieces of a body and yields its content at the end. */
export interface Reader<A> {
  /** The bytes of memory that the pieces so far need, and what is made of them; an estimate that errs on the high side. */
  readonly needs: () => number
  /** The bytes of memory that the texts of the pieces so far take (`TextBytes`). */
  readonly textBytes: () => number
  readonly write: (chunk: Uint8Array) => Result.Result<void, ParseError.ParseError>
  readonly end: () => Effect.Effect<A, ParseError.ParseError>
}

/** The formats that a route takes. */
export interface Formats<A> {
  /** The reader of a body of a media type, null when the request does not say; undefined when the route does not take it. */
  readonly readerOf: (mediaType: string | null) => Reader<A> | undefined
  /** How many test cases a content holds. */
  readonly casesOf: (content: A) => number
  /** The advice for a body of a media type that the route does not take. */
  readonly advice: (mediaType: string | null) => string
}

/** Formats that are read piece by piece as they come. */
const streamed = (
  make: () => JUnit.Reader,
  mark: number,
  bytesOf: (piece: Uint8Array) => number
): Reader<Parsed.Parsed> => {
  const reader = make()
  let [bytes, marks] = [0, 0]
  return {
    needs: () => bytes + HttpLimits.caseBytes * Math.min(marks, Limits.standard.cases),
    textBytes: () => bytes,
    write: (chunk) => {
      bytes += bytesOf(chunk)
      marks += countOf(mark, chunk)
      return reader.write(chunk)
    },
    end: () => Effect.suspend(() => Effect.fromResult(reader.end()))
  }
}

/** How often a byte is in a chunk. */
const countOf = (byte: number, chunk: Uint8Array): number => {
  let count = 0
  for (let index = chunk.indexOf(byte); index !== -1; index = chunk.indexOf(byte, index + 1)) count += 1
  return count
}

/** Formats that are read in one go: their pieces are gathered, as long as they are few enough. */
const whole = (
  format: Format,
  most: number,
  factor: number
): ((checkout?: string) => Reader<ReadonlyArray<Parsed.Parsed>>) => {
  const tooLarge = ParseError.whole(
    "too_large",
    `A body of this type may have ${most} bytes when unpacked: send it in several uploads.`
  )
  return (checkout) => {
    const blocks = Blocks.make()
    let textBytes = 0
    return {
      needs: () => blocks.length() * factor,
      textBytes: () => textBytes,
      write: (chunk) => {
        if (blocks.length() + chunk.length > most) return Result.fail(tooLarge)
        textBytes += format === "otlp_protobuf" ? TextBytes.ofPiece(chunk) : TextBytes.ofJson(chunk)
        blocks.write(chunk)
        return Result.void
      },
      end: () => Effect.suspend(() => ParserThread.parse({ format, checkout, blocks: blocks.take() }))
    }
  }
}

/** A format whose bodies hold exactly one report. */
const single = (reader: Reader<ReadonlyArray<Parsed.Parsed>>): Reader<Parsed.Parsed> => ({
  ...reader,
  end: () => Effect.flatMap(reader.end(), ([report]) => onlyReport(report))
})

const onlyReport = (report: Parsed.Parsed | undefined): Effect.Effect<Parsed.Parsed> =>
  report === undefined ? Effect.die(new Error("a parser yielded no report")) : Effect.succeed(report)

const { jsonLength } = Limits.standard

const readers: { readonly [K in Detection.Kind]: (checkout: string | undefined) => Reader<Parsed.Parsed> } = {
  // A case begins with a tag, and in the stream of Go with a line.
  xml: (checkout) => streamed(() => XmlReport.make({ checkout }), 0x3c, TextBytes.ofXml),
  go: () => streamed(GoTest.make, 0x0a, TextBytes.ofJson),
  json: (checkout) => single(whole("report_json", jsonLength, HttpLimits.memoryFactors.json)(checkout))
}

/** The content decides, because half of the clients send a type that says nothing, or that of another tool. */
const recognised = (checkout: string | undefined): Reader<Parsed.Parsed> => {
  let chosenReader: Reader<Parsed.Parsed> | undefined
  const reader = ReportReader.choose((kind) => (chosenReader = readers[kind](checkout)))
  return {
    needs: () => chosenReader?.needs() ?? 0,
    textBytes: () => chosenReader?.textBytes() ?? 0,
    write: reader.write,
    end: () => Effect.suspend(() => Effect.flatMap(Effect.fromResult(reader.end()), (chosen) => chosen.end()))
  }
}

/** The media types of clients that choose none; the last one is curl's. */
const saysNothing: ReadonlySet<string> = new Set(["text/plain", "application/x-www-form-urlencoded"])

const reportTypes: ReadonlySet<string> = new Set([...Schemas.MediaType.reports, ...saysNothing])

/** A media type with the formats that are sent as it. */
const listed = (mediaType: string, notation: ReadFormat.Notation): string =>
  `\`${mediaType}\` (${ReadFormat.names(notation).join(", ")})`

/** Test reports of every readable format, of tests that ran in a checkout. */
export const reports = (checkout: string | undefined): Formats<Parsed.Parsed> => ({
  casesOf: ({ cases }) => cases.length,
  readerOf: (mediaType) => (mediaType === null || reportTypes.has(mediaType) ? recognised(checkout) : undefined),
  advice: (mediaType) =>
    mediaType === "multipart/form-data"
      ? "Send the file itself as the body, without a form: with curl `--data-binary @report.xml` instead of `-F`."
      : `Send a report as ${listed("application/xml", "xml")}, ${listed("application/json", "json")} or ` +
        `${listed("application/x-ndjson", "lines")}, or any of them as \`application/octet-stream\`.`
})

const spans: { readonly [mediaType: string]: () => Reader<ReadonlyArray<Parsed.Parsed>> } = {
  "application/x-protobuf": whole("otlp_protobuf", HttpLimits.protobufLength, HttpLimits.memoryFactors.protobuf),
  "application/json": whole("otlp_json", jsonLength, HttpLimits.memoryFactors.json)
}

/** Requests with test spans: OTLP as protobuf and as JSON; JSON when the request does not say. */
export const traces: Formats<ReadonlyArray<Parsed.Parsed>> = {
  casesOf: (all) => all.reduce((sum, { cases }) => sum + cases.length, 0),
  readerOf: (mediaType) => spans[mediaType ?? "application/json"]?.(),
  advice: () => "Send OTLP as `application/x-protobuf` or `application/json`."
}

/** The media type of a body, null when the request does not say. */
export const mediaType = (request: HttpServerRequest.HttpServerRequest): string | null =>
  (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() || null
