/** Pieces of the schemas of JSON reports. */
import { Schema, SchemaIssue } from "effect"
import * as ParseError from "../text/ParseError.ts"

/** Schema of a value that may be missing or null. */
export const maybe = <S extends Schema.Schema<unknown>>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Schema of a text that may be missing. */
export const Text = maybe(Schema.String)

/** Schema of a number that may be missing. */
export const Count = maybe(Schema.Number)

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The refusal of a report whose JSON has another shape than its format; `path` is where the decoded value stands. */
export const fault = (
  name: string,
  path: ReadonlyArray<string | number>,
  error: { readonly issue: SchemaIssue.Issue }
): ParseError.ParseError => {
  const [first] = format(error.issue).issues
  const place = [...path, ...(first?.path ?? [])].map(String).join(".")
  const sentence = first === undefined ? "" : `${place === "" ? "" : `${place}: `}${first.message}. `
  return ParseError.whole(
    "malformed",
    `The ${name} report has a fault: ${sentence.slice(0, 500)}Send the file as ${name} wrote it.`
  )
}
