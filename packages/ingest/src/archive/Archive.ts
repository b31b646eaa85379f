/** Zip archives with test reports, as CI systems keep them: read in one pass, bounded in files, bytes and work. */
import { Effect, Stream } from "effect"
import { Zip } from "effect/encoding"
import * as ReadFormat from "../report/ReadFormat.ts"
import * as ParseError from "../text/ParseError.ts"

/**
 * The limits of one archive.
 *
 * **Details**
 *
 * - `files`: files in the archive, whatever they are.
 * - `reportBytes`: unpacked bytes of all files that are read.
 * - `bytes`: unpacked bytes of all files; those that are not read are unpacked to find their ends.
 */
export interface Limits {
  readonly files: number
  readonly reportBytes: number
  readonly bytes: number
}

/** The limits in force unless others are given. */
export const standard: Limits = { files: 10_000, reportBytes: 256 * 1024 * 1024, bytes: 1024 * 1024 * 1024 }

/**
 * A file of an archive that has the name of a report.
 *
 * **Details**
 *
 * - `path`: the path in the archive, as written there: do not use it as a path of this machine.
 * - `bytes`: its unpacked content, to be read once and before the next file is pulled.
 */
export interface ArchivedFile<E> {
  readonly path: string
  readonly bytes: Stream.Stream<Uint8Array, E | ParseError.ParseError>
}

/** Whether a file begins like a zip archive, an empty one included. */
export const isArchive = (head: Uint8Array): boolean =>
  head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6))

const reportName = new RegExp(String.raw`\.(?:${ReadFormat.endings.join("|")})$`, "iu")

/** Whether a file has the ending of a report. Archives in an archive have none. */
export const isReportName = (path: string): boolean =>
  reportName.test(path) && !/(?:^|[\\/])(?:__MACOSX|node_modules)[\\/]/u.test(path)

/**
 * The files of an archive that have the names of reports, in the order of the archive.
 *
 * **Details**
 *
 * A bomb ends the stream while it is unpacked, at the first byte beyond a limit. So do an encrypted file, a damaged one,
 * and bytes that are no archive: after them nothing in the archive can be trusted.
 *
 * **Gotchas**
 *
 * Files are found by their local headers, without the list at the end of the archive. Stored files whose size only follows
 * their content are refused.
 */
export const files = <E>(
  archive: Stream.Stream<Uint8Array, E>,
  limits: Limits = standard
): Stream.Stream<ArchivedFile<E>, E | ParseError.ParseError> =>
  Stream.suspend(() => {
    const budget: Budget = { files: 0, reportBytes: 0, bytes: 0 }
    return archive.pipe(
      Stream.pipeThroughChannel(Zip.decode<E>()),
      Stream.mapError(refused),
      Stream.filterEffect(({ body, header }) => {
        budget.files += 1
        if (budget.files > limits.files) return Effect.fail(tooMany(limits.files))
        if (header.type === "File" && isReportName(header.path)) return Effect.succeed(true)
        const rest = Stream.mapError(body, refused)
        return Effect.as(Stream.runDrain(counted(rest, budget, { limits, isRead: false })), false)
      }),
      Stream.map(({ body, header }) => ({
        path: header.path,
        bytes: counted(Stream.mapError(body, refused), budget, { limits, isRead: true })
      }))
    )
  })

interface Budget {
  files: number
  reportBytes: number
  bytes: number
}

const counted = <E>(
  body: Stream.Stream<Uint8Array, E>,
  budget: Budget,
  { isRead, limits }: { readonly isRead: boolean; readonly limits: Limits }
): Stream.Stream<Uint8Array, E | ParseError.ParseError> =>
  Stream.mapEffect(body, (piece) => {
    budget.bytes += piece.length
    if (isRead) budget.reportBytes += piece.length
    if (budget.bytes > limits.bytes) return Effect.fail(tooLarge(limits.bytes))
    return budget.reportBytes > limits.reportBytes ? Effect.fail(tooLarge(limits.reportBytes)) : Effect.succeed(piece)
  })

const tooLarge = (most: number): ParseError.ParseError =>
  ParseError.whole(
    "too_large",
    `The archive has more than ${most} bytes when unpacked: keep the reports in one of their own.`
  )

const tooMany = (most: number): ParseError.ParseError =>
  ParseError.whole("too_large", `The archive holds more than ${most} files: keep the reports in one of their own.`)

const refused = <E>(error: E | Zip.ZipError): E | ParseError.ParseError =>
  Zip.isZipError(error) ? ofZip(error) : error

const ofZip = ({ kind }: Zip.ZipError): ParseError.ParseError => {
  switch (kind) {
    case "InvalidHeader":
      return ParseError.whole("unsupported", "The file is not a zip archive, or its headers are damaged.")
    case "Unsupported":
      return ParseError.whole(
        "unsupported",
        "The archive is encrypted, split, or packed in a way other than deflate: write it without a password, as zip tools do by default."
      )
    case "Truncated":
      return ParseError.whole("malformed", "The archive is cut off: upload it whole.")
    case "BodyConsumed":
    case "Checksum":
    case "InvalidData":
    case "SizeMismatch":
      return ParseError.whole("malformed", "The archive is damaged: a file in it differs from its checksum or size.")
  }
}
