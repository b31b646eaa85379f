/** One report on this machine: its bytes, its format and its content. */
import { createHash } from "node:crypto"
import { createGunzip } from "node:zlib"
import * as NodeStream from "@effect/platform-node/NodeStream"
import {
  Archive,
  Detection,
  GoTest,
  JsonReport,
  Limits,
  Otlp,
  ParseError,
  type Parsed,
  ReadFormat,
  ReportReader,
  XmlReport
} from "@lazaret/ingest"
import { Console, Effect, FileSystem, Option, type PlatformError, Result, Stream } from "effect"
import * as Checkout from "../ci/Checkout.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import type * as Progress from "../terminal/Progress.ts"
import * as StandardInput from "../terminal/StandardInput.ts"
import { plain } from "../terminal/Terminal.ts"
import type { Format } from "./Format.ts"
import * as ReportFiles from "./ReportFiles.ts"

/**
 * A report that can be read, several times if need be.
 *
 * **Details**
 *
 * - `name`: its name in messages.
 * - `hasSpans`: whether it holds test spans (OTLP), which name their runs.
 * - `isFound`: see `ReportFiles.Found`.
 */
export interface ReportFile {
  readonly name: string
  readonly hasSpans: boolean
  readonly isFound: boolean
  /** The unpacked bytes. `onPiece` receives the numbers of packed bytes that are read, and of all. */
  readonly bytes: (onPiece: OnPiece) => Bytes
}

type Bytes = Stream.Stream<Uint8Array, CommandFailure.CommandFailure>

type OnPiece = (done: number, size: number) => Effect.Effect<void>

/** A report that was read: its content, and a digest of its bytes. */
export interface Read {
  readonly file: ReportFile
  readonly digest: string
  readonly reports: ReadonlyArray<Parsed.Parsed>
}

/** A report that cannot be read, and why. */
export interface Unreadable {
  readonly file: string
  readonly message: string
}

/** The reports of a command. */
export interface All {
  readonly read: ReadonlyArray<Read>
  readonly unreadable: ReadonlyArray<Unreadable>
}

/**
 * Reads every report that the arguments name.
 *
 * **Details**
 *
 * A file that cannot be read does not keep the others from being read. A file that was found in a folder or by a pattern
 * and is not a test report is passed over, with a line on stderr; when no file is left, the command fails.
 */
export const readAll = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  format: Option.Option<Format>,
  progress: Progress.Progress
) {
  const all = yield* readEach(yield* ReportFiles.find(args), format, progress)
  if (all.read.length > 0 || all.unreadable.length > 0) return all
  return yield* CommandFailure.usage("None of the files is a test report: check that the tests wrote their reports.")
})

/** Reads files that may be reports; of other files nothing is said. */
export const readFound = Effect.fnUntraced(function* (
  found: ReadonlyArray<ReportFiles.Found>,
  progress: Progress.Progress
) {
  const silent = { ...globalThis.console, error: () => {} }
  return yield* Effect.provideService(readEach(found, Option.none(), progress), Console.Console, silent)
})

const readEach = Effect.fnUntraced(function* (
  found: ReadonlyArray<ReportFiles.Found>,
  format: Option.Option<Format>,
  progress: Progress.Progress
) {
  const checkout = yield* Checkout.current
  const read: Array<Read> = []
  const unreadable: Array<Unreadable> = []
  const fail = (file: string) => (error: CommandFailure.CommandFailure) =>
    void unreadable.push({ file, message: error.message })
  for (const each of found) {
    const sources = yield* Effect.match(sourcesOf(each), { onSuccess: (all) => all, onFailure: fail(nameOf(each)) })
    for (const source of sources ?? []) {
      yield* one(source, { format, checkout }, progress).pipe(
        Effect.match({
          onSuccess: (report) => void (report === null || read.push(report)),
          onFailure: fail(source.name)
        })
      )
    }
  }
  return { read, unreadable } satisfies All
})

/** A source of one report: a file, or a file in an archive. */
interface Source {
  readonly name: string
  readonly found: ReportFiles.Found
  readonly bytes: ReportFile["bytes"]
}

/** A file itself, or the files with names of reports in it when it is a zip archive. */
const sourcesOf = Effect.fnUntraced(function* (found: ReportFiles.Found) {
  const bytes = yield* bytesOf(found)
  const name = nameOf(found)
  if (!Archive.isArchive(yield* headOf(bytes(ignored)))) return [{ name, found, bytes }] satisfies ReadonlyArray<Source>
  return yield* Archive.files(bytes(ignored)).pipe(
    Stream.mapEffect(({ bytes: packed, path }) =>
      Effect.map(Stream.runCollect(packed), (pieces): Source => ({
        name: `${name}: ${plain(path)}`,
        found: { path, isFound: true, isSearched: true },
        bytes: () => Stream.fromIterable(pieces)
      }))
    ),
    Stream.runCollect,
    Effect.catchTag("ParseError", ({ message }) => Effect.fail(CommandFailure.usage(`It cannot be read: ${message}`)))
  )
})

/** How reports are read: in a format that was given, and with the checkout of `Checkout.current`. */
interface Reading {
  readonly format: Option.Option<Format>
  readonly checkout: string
}

/** One report; null when it is passed over. */
const one = Effect.fnUntraced(function* (
  { bytes, found, name }: Source,
  { checkout, format }: Reading,
  progress: Progress.Progress
) {
  const head = yield* headOf(bytes(ignored))
  const kind = Option.getOrElse(format, () => null) ?? (isTrace(head) ? "otlp" : "any")
  const file: ReportFile = { name, hasSpans: kind === "otlp", isFound: found.isFound, bytes }
  return yield* read(file, parserOf(kind)(checkout), (done, size) => progress.bar(`reading ${name}`, done, size)).pipe(
    Effect.catchTag("ParseError", (error) =>
      file.isFound && (error.reason === "unsupported" || isStray(found, head))
        ? Effect.as(Console.error(`lazaret: ${name} is passed over. ${plain(error.message)}`), null)
        : Effect.fail(CommandFailure.usage(`It cannot be read: ${plain(error.message)}`))
    )
  )
})

const read = Effect.fnUntraced(function* (file: ReportFile, parser: Parser, onPiece: OnPiece) {
  const digest = createHash("sha256")
  yield* Stream.runForEach(file.bytes(onPiece), (piece) => {
    digest.update(piece)
    return Effect.andThen(Effect.fromResult(parser.write(piece)), Effect.yieldNow)
  })
  const reports = yield* Effect.suspend(() => Effect.fromResult(parser.end()))
  return { file, digest: digest.digest("hex"), reports } satisfies Read
})

/**
 * Whether an unreadable file is JSON of another tool: it was found below the current folder, and its beginning has no sign of a
 * report. Tools leave invalid and empty JSON files below a checkout.
 */
const isStray = ({ isSearched, path }: ReportFiles.Found, head: Uint8Array): boolean =>
  isSearched && /\.(?:json|jsonl|ndjson)(?:\.gz)?$/i.test(path) && !Detection.isLikeReport(head)

/** The unpacked bytes of a report. */
const bytesOf = Effect.fnUntraced(function* (found: ReportFiles.Found) {
  const packed = found.path === "-" ? yield* standardInput : yield* ofFile(found.path)
  const [first, second] = yield* headOf(packed(ignored))
  const isGzip = first === 0x1f && second === 0x8b
  return (onPiece: OnPiece): Bytes => (isGzip ? unpacked(packed(onPiece)) : packed(onPiece))
})

const ignored: OnPiece = () => Effect.void

const nameOf = ({ path }: ReportFiles.Found): string => (path === "-" ? "standard input" : plain(path))

const headOf = (bytes: Bytes) =>
  Effect.map(
    Stream.runHead(bytes),
    Option.getOrElse(() => new Uint8Array())
  )

/** Spans are the only content that the parser of reports does not recognise. */
const isTrace = (head: Uint8Array): boolean => {
  const text = new TextDecoder().decode(head).trimStart()
  return text.startsWith("{") && /"resource_?spans"/i.test(text)
}

interface Parser {
  readonly write: (piece: Uint8Array) => Result.Result<void, ParseError.ParseError>
  readonly end: () => Result.Result<ReadonlyArray<Parsed.Parsed>, ParseError.ParseError>
}

const streamed =
  (make: typeof ReportReader.make) =>
  (checkout: string): Parser => {
    const reader = make({ checkout })
    return { write: reader.write, end: () => Result.map(reader.end(), (parsed) => [parsed]) }
  }

const whole =
  (parse: (bytes: Uint8Array, checkout: string) => ReturnType<Parser["end"]>) =>
  (checkout: string): Parser => {
    const pieces: Array<Uint8Array> = []
    let length = 0
    return {
      write: (piece) => {
        length += piece.length
        pieces.push(piece)
        return length <= Limits.standard.jsonLength ? Result.void : Result.fail(tooLong)
      },
      end: () => parse(Buffer.concat(pieces), checkout)
    }
  }

const tooLong = ParseError.whole("too_large", `It is larger than ${Limits.standard.jsonLength} bytes: split it.`)

/** Without a format the content decides. JSON and XML know their formats by their keys and their root element. */
const parserOf = (format: Format | "any"): ((checkout: string) => Parser) => {
  if (format === "any") return anyReport
  return format === "otlp" ? spans : ofNotation[ReadFormat.all[format].notation]
}

const anyReport = streamed(ReportReader.make)

const spans = whole((bytes) => Otlp.parseJson(bytes))

const ofNotation: { readonly [N in ReadFormat.Notation]: (checkout: string) => Parser } = {
  xml: streamed(XmlReport.make),
  json: whole((bytes, checkout) => Result.map(JsonReport.parse(bytes, { checkout }), (parsed) => [parsed])),
  lines: streamed(GoTest.make)
}

/** The standard input cannot be read twice, so it is kept. */
const standardInput = Effect.map(StandardInput.pieces("a report"), (pieces) => () => Stream.fromIterable(pieces))

const ofFile = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const { size } = yield* Effect.mapError(files.stat(path), noFile)
  return (onPiece: OnPiece): Bytes =>
    Stream.suspend(() => {
      let done = 0
      return Stream.tap(files.stream(path), (piece) => {
        done += piece.length
        return onPiece(done, Number(size))
      })
    }).pipe(Stream.mapError(noFile))
})

const unpacked = (packed: Bytes): Bytes =>
  NodeStream.pipeThroughDuplex(packed, {
    evaluate: () => createGunzip(),
    onError: () => CommandFailure.usage("It is not a whole gzip file: pack it again.")
  })

const noFile = ({ reason }: PlatformError.PlatformError): CommandFailure.CommandFailure =>
  CommandFailure.usage(`It cannot be read (${reason._tag}).`)
