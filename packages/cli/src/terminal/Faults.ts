/** The faults of a value that a schema refuses, in one line. */
import { type Schema, SchemaIssue } from "effect"

/** Each fault with the path of its field, such as `health.clean_passes Expected …`. */
export const of = ({ issue }: Schema.SchemaError): string =>
  SchemaIssue.makeFormatterStandardSchemaV1()(issue)
    .issues.map(({ message, path = [] }) => `${path.map(String).join(".")} ${message}`.trim())
    .join("; ")
