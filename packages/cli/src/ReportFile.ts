/** One report on this machine: its bytes, its format, and what is in it. */
import { createHash } from "node:crypto"
import { createGunzip } from "node:zlib"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Ctrf, JUnit, Limits, Otlp, ParseError, type Parsed } from "@lazaret/ingest"
import { Console, Effect, FileSystem, Option, type PlatformError, Result, Stream } from "effect"
import * as CommandFailure from "./CommandFailure.ts"
import type { Found } from "./ReportFiles.ts"
import * as StandardInput from "./StandardInput.ts"

/** The formats that are read. */
export type Format = "junit" | "ctrf" | "otlp"

/** The formats by their names in messages. */
export const formats: { readonly [F in Format]: string } = {
  junit: "JUnit XML",
  ctrf: "CTRF",
  otlp: "OTLP JSON"
}

/** A report that can be read: unpacked, and as often as it takes. */
export interface ReportFile extends Found {
  readonly name: string
  readonly format: Format
  /** The unpacked bytes; `onPiece` is told how many of how many packed ones have been read. */
  readonly bytes: (onPiece: OnPiece) => Bytes
}

type Bytes = Stream.Stream<Uint8Array, CommandFailure.CommandFailure>

type OnPiece = (done: number, size: number) => Effect.Effect<void>

/** What is in a report, and a digest of its bytes. */
export interface Content {
  readonly digest: string
  readonly reports: ReadonlyArray<Parsed.Parsed>
}

/** Opens a report; the format is found by looking at it, unless it is given. */
export const open = Effect.fnUntraced(function* (found: Found, format: Option.Option<Format>) {
  const packed = found.path === "-" ? yield* standardInput : yield* ofFile(found.path)
  const isGzip = startsWith(yield* headOf(packed(ignored)), [0x1f, 0x8b])
  const bytes = (onPiece: OnPiece): Bytes => (isGzip ? unpacked(packed(onPiece), nameOf(found)) : packed(onPiece))
  const known = Option.isSome(format) ? format.value : (formatOf(yield* headOf(bytes(ignored))) ?? ofName(found.path))
  if (known === null) return yield* CommandFailure.usage(`${nameOf(found)} ${noFormat}`)
  return { ...found, name: nameOf(found), format: known, bytes } satisfies ReportFile
})

/** Reads a report whole and checks it as the server will. */
export const read = (file: ReportFile, onPiece: OnPiece) =>
  Effect.gen(function* () {
    const digest = createHash("sha256")
    const reader = readers[file.format]()
    yield* Stream.runForEach(file.bytes(onPiece), (piece) => {
      digest.update(piece)
      return Effect.andThen(Effect.fromResult(reader.write(piece)), Effect.yieldNow)
    })
    const reports = yield* Effect.suspend(() => Effect.fromResult(reader.end()))
    return { digest: digest.digest("hex"), reports } satisfies Content
  })

const unreadable = (file: ReportFile, { message }: ParseError.ParseError): CommandFailure.CommandFailure =>
  CommandFailure.usage(`${file.name} cannot be read as ${formats[file.format]}: ${message}`)

/**
 * What a report that cannot be read counts as: one that was found by a pattern or in a folder may be something else than a
 * test report, and holds nothing then; every other one is a failure.
 */
export const passed = (
  file: ReportFile,
  error: ParseError.ParseError
): Effect.Effect<Content, CommandFailure.CommandFailure> =>
  file.isFound && error.reason === "unsupported"
    ? Effect.as(Console.error(`lazaret: ${file.name} is no test report: it is passed over.`), nothing)
    : Effect.fail(unreadable(file, error))

const nothing: Content = { digest: "", reports: [] }

const ignored: OnPiece = () => Effect.void

const nameOf = ({ path }: Found): string => (path === "-" ? "standard input" : path)

const noFormat = "is no report that is known: give JUnit XML, CTRF or OTLP JSON, or say which it is with --format."

const headOf = (bytes: Bytes) =>
  Effect.map(
    Stream.runHead(bytes),
    Option.getOrElse(() => new Uint8Array())
  )

const startsWith = (bytes: Uint8Array, signature: ReadonlyArray<number>): boolean =>
  signature.every((byte, index) => bytes[index] === byte)

/** Reports in UTF-16 are XML: JSON is always UTF-8. */
const formatOf = (head: Uint8Array): Format | null => {
  if (startsWith(head, [0xff, 0xfe]) || startsWith(head, [0xfe, 0xff])) return "junit"
  const text = new TextDecoder().decode(head).trimStart()
  if (text.startsWith("<")) return "junit"
  if (!text.startsWith("{")) return null
  return /^\{\s*"resourceSpans"/.test(text) || !text.includes('"results"') ? "otlp" : "ctrf"
}

/** Who names a file so says what it should be: why it is not is told by the reader of the format. */
const ofName = (path: string): Format | null =>
  /\.xml(?:\.gz)?$/i.test(path) ? "junit" : /\.json(?:\.gz)?$/i.test(path) ? "ctrf" : null

interface Reader {
  readonly write: (piece: Uint8Array) => Result.Result<void, ParseError.ParseError>
  readonly end: () => Result.Result<ReadonlyArray<Parsed.Parsed>, ParseError.ParseError>
}

const junit = (): Reader => {
  const reader = JUnit.make()
  return { write: reader.write, end: () => Result.map(reader.end(), (parsed) => [parsed]) }
}

const whole = (parse: (bytes: Uint8Array) => ReturnType<Reader["end"]>) => (): Reader => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  return {
    write: (piece) => {
      length += piece.length
      pieces.push(piece)
      return length <= Limits.standard.jsonLength ? Result.void : Result.fail(tooLong)
    },
    end: () => parse(Buffer.concat(pieces))
  }
}

const tooLong = ParseError.whole("too_large", `It is larger than ${Limits.standard.jsonLength} bytes: split it.`)

const readers: { readonly [F in Format]: () => Reader } = {
  junit,
  ctrf: whole((bytes) => Result.map(Ctrf.parse(bytes), (parsed) => [parsed])),
  otlp: whole((bytes) => Otlp.parseJson(bytes))
}

/** What cannot be read twice is kept. */
const standardInput = Effect.map(StandardInput.pieces("a report"), (pieces) => () => Stream.fromIterable(pieces))

const ofFile = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const { size } = yield* Effect.mapError(files.stat(path), (error) => noFile(path, error))
  return (onPiece: OnPiece): Bytes =>
    Stream.suspend(() => {
      let done = 0
      return Stream.tap(files.stream(path), (piece) => {
        done += piece.length
        return onPiece(done, Number(size))
      })
    }).pipe(Stream.mapError((error) => noFile(path, error)))
})

const unpacked = (packed: Bytes, name: string): Bytes =>
  NodeStream.pipeThroughDuplex(packed, {
    evaluate: () => createGunzip(),
    onError: () => CommandFailure.usage(`${name} is no whole gzip file: pack it again.`)
  })

const noFile = (path: string, { reason }: PlatformError.PlatformError): CommandFailure.CommandFailure =>
  CommandFailure.usage(`${path} cannot be read (${reason._tag}).`)
