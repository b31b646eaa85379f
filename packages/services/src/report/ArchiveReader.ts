/** The port of the parser of archives with test reports. */
import type { Report } from "@lazaret/domain"
import { Context, Effect, type Stream } from "effect"
import type { Upload } from "./Ingestion.ts"

/** A report in an archive; `hints` are what it says about its run. */
export interface ArchivedReport extends Pick<
  Upload,
  "digest" | "finishedAt" | "cases" | "hasDistinctNames" | "listed" | "warnings"
> {
  readonly path: string
  readonly hints: Partial<Report.RunContext>
}

/** Something in an archive that cannot be read; an empty path stands for the archive itself. */
export interface UnreadableFile {
  readonly path: string
  readonly message: string
}

/**
 * Reads the reports in an archive, one after the other, and passes each to `record` before it reads the next one.
 *
 * **Details**
 *
 * It yields what cannot be read: reports, or the whole archive (not one, encrypted, a bomb, damaged). Files that are no test
 * reports are passed over.
 */
export type ReadArchive = <E, E2, R>(
  archive: Stream.Stream<Uint8Array, E>,
  record: (report: ArchivedReport) => Effect.Effect<void, E2, R>
) => Effect.Effect<ReadonlyArray<UnreadableFile>, E | E2, R>

/** The parser of the server. */
export const ArchiveReader = Context.Reference<ReadArchive>("@lazaret/services/ArchiveReader", {
  defaultValue: () => () => Effect.die(new Error("no parser of archives is provided"))
})
