/** The table of uploaded CODEOWNERS. */
import { Schema } from "effect"
import type { OwnersFile } from "./OwnersStore.ts"
import type { Table } from "../driver/Table.ts"
import { Num, rowsOf, Str } from "../driver/RowFields.ts"

/** Uploaded CODEOWNERS. */
export const ownersFiles: Table<OwnersFile> = {
  name: "owners_files",
  scope: "repository",
  columns: { text: "text", dialect: "text", uploadedAt: "instant", uploadedBy: "text" },
  key: [],
  ...rowsOf(
    Schema.Struct({
      text: Str,
      dialect: Schema.Literals(["github", "gitlab"]),
      uploadedAt: Num,
      uploadedBy: Str
    })
  )
}
