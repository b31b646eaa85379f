/** How often the verdict `flaky` was right in this repository. */
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import type * as Places from "../../Places.ts"

/** Renders nothing until it is known. */
export const Precision = ({ repository }: { readonly repository: Places.Repository }) => {
  const found = useResource(Routes.verdictPrecision(repository))
  if (found.status !== "ready") return null
  const { excuses, real_job_runs, retry_sentence, sentence } = found.answer.body
  return (
    <p class="muted">
      In this repository: {sentence}
      {real_job_runs === 0 ? "" : `; ${retry_sentence}`}.
      {excuses === "off" ? " At the moment no failure passes the gate by its verdict." : ""}
    </p>
  )
}
