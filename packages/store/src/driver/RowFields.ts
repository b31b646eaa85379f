/** The schemas of the fields of rows, and the decoder of rows. */
import { type Effect, Schema } from "effect"

/** Any number. */
export const Num = Schema.Number

/** Any text. */
export const Str = Schema.String

/** Reads rows that have left the process; made once for each table. */
export const rowsOf = <Row>(
  schema: Schema.Codec<Row, unknown>
): ((rows: unknown) => Effect.Effect<ReadonlyArray<Row>, Schema.SchemaError>) =>
  Schema.decodeUnknownEffect(Schema.Array(schema))
