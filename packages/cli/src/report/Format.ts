/** The flags and arguments that name reports. */
import { Argument, Flag } from "effect/cli"

/** The formats that `--format` names. */
export const formats = ["junit", "trx", "ctrf", "playwright", "jest", "vitest", "go", "otlp"] as const

/** A format that `--format` names. */
export type Format = (typeof formats)[number]

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
