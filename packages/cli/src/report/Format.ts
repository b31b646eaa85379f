/** The flags and arguments that name reports. */
import { Argument, Flag } from "effect/cli"

/** The formats that `--format` names. */
export type Format = "junit" | "ctrf" | "otlp"

/** `--format`. */
export const flag = Flag.Literals("format", ["junit", "ctrf", "otlp"]).pipe(
  Flag.withDescription("Format of the reports: junit (XML), ctrf (JSON) or otlp (JSON); else their content decides"),
  Flag.optional
)

/** The files. */
export const files = Argument.String("report.xml").pipe(
  Argument.withDescription("Files, quoted patterns, folders, or - for the standard input; packed with gzip or not"),
  Argument.variadic({ min: 1 })
)
