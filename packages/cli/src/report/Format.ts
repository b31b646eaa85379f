/** The flags and arguments that name reports. */
import { ReadFormat } from "@lazaret/ingest"
import { Argument, Flag } from "effect/cli"

/** A format that `--format` names: one of reports, or test spans. */
export type Format = ReadFormat.Key | "otlp"

/** The formats that `--format` names. */
const formats: ReadonlyArray<Format> = [...ReadFormat.keys, "otlp"]

/** `--format`. */
export const flag = Flag.Literals("format", formats).pipe(
  Flag.withDescription("Format of the reports, for files whose content does not show it"),
  Flag.optional
)

/** The files. */
export const files = Argument.String("report.xml").pipe(
  Argument.withDescription("Files, quoted patterns, folders, or - for the standard input; packed with gzip or not"),
  Argument.variadic({ min: 1 })
)
