/** The parsers that need the whole body at once, by the name that the main thread sends to a worker. */
import { JsonReport, Otlp, type ParseError, type Parsed } from "@lazaret/ingest"
import { Result } from "effect"
import type * as Blocks from "./Blocks.ts"

/** A parser by name. */
export type Format = "report_json" | "otlp_json" | "otlp_protobuf"

/** The reports of a body, one for each job run in it. Its memory is freed as soon as its bytes are not read again. */
export const parse = (
  { checkout, format }: Task,
  bytes: Uint8Array<ArrayBuffer>
): Result.Result<ReadonlyArray<Parsed.Parsed>, ParseError.ParseError> => {
  const onDecoded = (): void => void bytes.buffer.transfer(0)
  switch (format) {
    case "report_json":
      return Result.map(JsonReport.parse(bytes, { checkout, onDecoded }), (parsed) => [parsed])
    case "otlp_json":
      return Otlp.parseJson(bytes, { onDecoded })
    case "otlp_protobuf":
      return Otlp.parseProtobuf(bytes)
  }
}

/** A body for a thread; `checkout` is that of `JUnit.Options`. */
export interface Task {
  readonly format: Format
  readonly checkout: string | undefined
  readonly blocks: Blocks.Blocks
}

/**
 * A message of a thread, in this order: each report without its cases, followed by its cases in pieces; or one failure.
 */
export type Message =
  | { readonly kind: "report"; readonly report: Omit<Parsed.Parsed, "cases"> }
  | { readonly kind: "cases"; readonly cases: Parsed.Parsed["cases"] }
  | {
      readonly kind: "failure"
      readonly failure: Pick<ParseError.ParseError, "reason" | "message" | "line" | "column">
    }
  | { readonly kind: "end" }
