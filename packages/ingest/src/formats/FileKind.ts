/** What a file on a machine is: a report of any readable format, or test spans in JSON. */
import { Result } from "effect"
import type { Reader as ReportFile } from "../JUnit.ts"
import * as Limits from "../Limits.ts"
import * as Otlp from "../Otlp.ts"
import type * as ParseError from "../ParseError.ts"
import type { Parsed } from "../Parsed.ts"
import * as Detection from "./Detection.ts"
import * as ReportReader from "./ReportReader.ts"

/** The kinds of files that can be uploaded. */
export type FileKind = Detection.Kind | "otlp"

/** Takes the bytes of a file and yields the reports in it at the end. */
export interface Reader extends ReportReader.Writer {
  readonly end: () => Result.Result<ReadonlyArray<Parsed>, ParseError.ParseError>
}

/** The formats by the names that people give them, with the kind of file that each is. */
export const formats = {
  junit: "xml",
  trx: "xml",
  ctrf: "json",
  playwright: "json",
  jest: "json",
  go: "go",
  otlp: "otlp"
} as const

/** The media types to send kinds of files with. */
export const mediaTypes: { readonly [K in FileKind]: string } = {
  xml: "application/xml",
  json: "application/json",
  go: "application/x-ndjson",
  otlp: "application/json"
}

/** The kind of the file that begins with some bytes, which may be all of it. */
export const ofHead = (head: Uint8Array, isWhole: boolean): Result.Result<FileKind, ParseError.ParseError> =>
  Result.map(Detection.ofHead(head, isWhole), (kind) =>
    kind === "json" && /^\s*\{\s*"resource_?[sS]pans"/.test(new TextDecoder().decode(head)) ? "otlp" : kind
  )

/** A reader of a file of a kind. */
export const read = (kind: FileKind): Reader =>
  kind === "otlp"
    ? ReportReader.gathered(Limits.standard.jsonLength, (bytes) => Otlp.parseJson(bytes))
    : single(ReportReader.readers[kind]({}))

const single = (reader: ReportFile): Reader => ({
  write: reader.write,
  end: () => Result.map(reader.end(), (parsed) => [parsed])
})
