/** An outage in a list: the run, its commit, and whether it counts. */
import type { Wire } from "@lazaret/api"
import * as Places from "../Places.ts"
import { href } from "../Router.ts"
import { CommitLink } from "./SubjectLink.tsx"
import { Time } from "./Time.tsx"

/** A text that is equal for the same job run only. */
export const keyOf = (of: Wire.OutageRun): string =>
  [of.pipeline_name, of.job_name, of.run_id, of.run_attempt, of.commit].join("\0")

export const OutageRow = ({
  of,
  repository
}: {
  readonly of: Wire.OutageRun
  readonly repository: Places.Repository
}) => (
  <li>
    <span class="row-main">
      <a class="row-link" data-row="true" href={href(Places.failures(repository, { kind: "run", id: of.run_id }))}>
        {of.sentence}
      </a>
      <span class="muted">
        <Time at={of.finished_at} /> · <CommitLink repository={repository} commit={of.commit} /> ·{" "}
        {of.excused ? "not counted in health" : "counted in health: it lasted"}
      </span>
    </span>
  </li>
)
