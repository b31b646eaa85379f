/** The examples of the operations on uploaded CODEOWNERS, checked against the definition by a test. */
import type { Schema } from "effect"
import type * as OwnersFile from "./OwnersFile.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

const state: Encoded<typeof OwnersFile.OwnersState> = {
  source: "uploaded",
  rules: 2,
  uploaded: {
    text: "* @acme/web\n/db/ @acme/data\n",
    dialect: "github",
    uploaded_at: "2026-01-31T12:00:00.000Z",
    uploaded_by: "ada"
  }
}

const upload: Encoded<typeof OwnersFile.UploadOwners> = { text: "* @acme/web\n/db/ @acme/data\n", dialect: "github" }

/** The examples of the operations on uploaded CODEOWNERS. */
export const ownersExamples = {
  getOwnersFile: { response: state },
  uploadOwners: { request: { "application/json": upload }, response: state }
}
