/** The parser of archives with test reports: the parsers of uploads, for each file of a zip archive. */
import { createHash } from "node:crypto"
import { Archive, type ParseError, type Parsed } from "@lazaret/ingest"
import { type ArchivedReport, ArchiveReader, type ReadArchive, type UnreadableFile } from "@lazaret/services"
import { Effect, Layer, Stream } from "effect"
import * as HttpLimits from "../request/Limits.ts"
import * as UploadFormat from "./UploadFormat.ts"

const read: ReadArchive = <E, E2, R>(
  archive: Stream.Stream<Uint8Array, E>,
  record: (report: ArchivedReport) => Effect.Effect<void, E2, R>
) =>
  Effect.suspend(() => {
    const unreadable: Array<UnreadableFile> = []
    const note = (path: string) => (error: ParseError.ParseError) =>
      Effect.sync(() => void unreadable.push({ path, message: error.message }))
    return Archive.files(archive, HttpLimits.archive).pipe(
      Stream.runForEach((file) =>
        contentOf(file).pipe(
          Effect.matchEffect({
            onFailure: (error) => (isParseError(error) ? refused(file.path, error, note) : Effect.fail(error)),
            onSuccess: record
          })
        )
      ),
      Effect.catchIf(isParseError, note("")),
      Effect.map(() => unreadable)
    )
  })

const isParseError = (error: unknown): error is ParseError.ParseError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "ParseError"

/** Another kind of XML or JSON is passed over; a damaged report is noted. */
const refused = (
  path: string,
  error: ParseError.ParseError,
  note: (path: string) => (error: ParseError.ParseError) => Effect.Effect<void>
) => (error.reason === "unsupported" ? Effect.void : note(path)(error))

const contentOf = Effect.fnUntraced(function* <E>({ bytes, path }: Archive.ArchivedFile<E>) {
  const reader = UploadFormat.reports(undefined).readerOf(null)
  if (reader === undefined) return yield* Effect.die(new Error("reports are read without a media type"))
  const hash = createHash("sha256")
  yield* Stream.runForEach(bytes, (piece) => {
    hash.update(piece)
    return Effect.andThen(Effect.fromResult(reader.write(piece)), Effect.yieldNow)
  })
  return reportOf(path, hash.digest("hex"), yield* reader.end())
})

const reportOf = (path: string, digest: string, parsed: Parsed.Parsed): ArchivedReport => ({
  path,
  digest,
  finishedAt: parsed.finishedAt,
  cases: parsed.cases,
  hasDistinctNames: parsed.hasDistinctNames,
  listed: parsed.listed,
  warnings: parsed.warnings,
  hints: parsed.context
})

/** The parser of the server. */
export const layer = Layer.succeed(ArchiveReader, read)
