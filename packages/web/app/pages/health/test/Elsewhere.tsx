/** The job runs of a test on branches other than the default one. */
import type { Wire } from "@lazaret/api"
import type * as Places from "../../../Places.ts"
import { Section } from "../../../ui/Section.tsx"
import { CommitLink } from "../../../ui/SubjectLink.tsx"
import { Time } from "../../../ui/Time.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly of: Wire.ExplainedTest["elsewhere"]
}

/** Renders nothing without a run on another branch. */
export const Elsewhere = ({ of: { latest, sentence }, repository }: Props) =>
  sentence === null ? null : (
    <Section title="Other branches">
      <p>{sentence}</p>
      <ul class="executions">
        {latest.toReversed().map((each) => (
          <li key={[each.pipeline_name, each.job_name, each.run_id, each.commit, each.finished_at].join("\0")}>
            <span class={`outcome ${each.conclusion}`}>{each.conclusion}</span>
            <CommitLink repository={repository} commit={each.commit} />
            <span class="grow muted exception">
              {each.branch} · {each.pipeline_name} · {each.job_name}
            </span>
            <span class="muted">
              <Time at={each.finished_at} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
