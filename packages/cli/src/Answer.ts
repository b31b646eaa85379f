/** Answers of a server of which no field is dropped, so that programs get them as they came. */
import { Schema } from "effect"

/** An object of which these fields are read and the others are kept. */
export const open = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Unknown)])
