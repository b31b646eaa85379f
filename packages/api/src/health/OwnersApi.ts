/** The operations on uploaded CODEOWNERS (beyond the interface). */
import { ByteSize } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { BodyLimit } from "../definition/BodyLimit.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { OwnersState, UploadOwners } from "./OwnersFile.ts"
import * as Parameter from "../definition/Parameter.ts"

const path = `${repositoryPath}/owners/file` as const

const getOwnersFile = HttpApiEndpoint.get("getOwnersFile", path, {
  params: Parameter.repository,
  success: OwnersState,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.administrative("read")),
  Operation.documented({
    summary: "Get the CODEOWNERS",
    description:
      "Says which CODEOWNERS counts, and shows the uploaded one. That of the default branch at the connected platform counts before " +
      "an uploaded one."
  })
)

const uploadOwners = HttpApiEndpoint.put("uploadOwners", path, {
  params: Parameter.repository,
  payload: UploadOwners,
  success: OwnersState,
  error: Problem.ofRepositoryBody
})
  .annotate(BodyLimit, ByteSize.mebibytes(4))
  .pipe(
    Operation.demands(Access.administrative("write")),
    Operation.documented({
      summary: "Upload a CODEOWNERS",
      description:
        "Replaces the uploaded CODEOWNERS: for a repository without a platform that shows one. On other servers of a cluster it " +
        "counts within five minutes. An unknown repository is created."
    })
  )

const removeOwnersFile = HttpApiEndpoint.delete("removeOwnersFile", path, {
  params: Parameter.repository,
  success: HttpApiSchema.NoContent.annotate({ description: "The uploaded CODEOWNERS has been removed." }),
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.administrative("write")),
  Operation.documented({ summary: "Remove the uploaded CODEOWNERS", description: "Removes the uploaded CODEOWNERS." })
)

/** The group of uploaded CODEOWNERS. */
export class OwnersApi extends Operation.guarded(
  "owners",
  { description: "CODEOWNERS of repositories without a hosting platform." },
  getOwnersFile,
  uploadOwners,
  removeOwnersFile
) {}
