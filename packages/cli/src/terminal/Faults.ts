/** The faults of a value that a schema refuses, in one line. */
import { type Schema, SchemaIssue } from "effect"

/** Each fault with the path of its field, such as `health.clean_passes must be an integer`. */
export const of = ({ issue }: Schema.SchemaError): string =>
  SchemaIssue.makeFormatterStandardSchemaV1()(issue)
    .issues.map(({ message, path = [] }) => {
      if (message.startsWith(unknownField)) return `${path.map(String).join(".")} does not exist`
      return `${path.map(String).join(".")} ${message.replace(/^Expected/u, "must be")}`.trim()
    })
    .join("; ")

const unknownField = "Expected no excess property"
