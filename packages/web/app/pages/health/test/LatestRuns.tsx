/** The latest runs of each identity as marks; each leads to its run. */
import type { Wire } from "@lazaret/api"
import type { Resource } from "../../../data/Resource.ts"
import type * as Places from "../../../Places.ts"
import { HealthBadge } from "../../../ui/Health.tsx"
import { Mark } from "../../../ui/Outcomes.tsx"
import { Section } from "../../../ui/Section.tsx"
import { Empty, Loaded } from "../../../ui/States.tsx"

interface Props {
  readonly repository: Places.Repository
}

const Identity = ({ of: identity, repository }: Props & { readonly of: Wire.ExplainedIdentity }) => (
  <div class="runs-of">
    <span class="runs-name">
      <HealthBadge status={identity.health_status} />
      <span>
        {identity.pipeline_name} · {identity.job_name}
      </span>
    </span>
    <ol class="marks" aria-label={`Latest runs of ${identity.pipeline_name} · ${identity.job_name}, oldest first`}>
      {identity.recent.map((each) => (
        <li key={each.id}>
          <Mark of={each} repository={repository} />
        </li>
      ))}
    </ol>
  </div>
)

export const LatestRuns = (props: Props & { readonly explanation: Resource<Wire.ExplainedTest> }) => (
  <Section title="Latest runs" aside="Oldest first; each mark opens its run">
    <Loaded of={props.explanation} lines={2}>
      {({ identities }) =>
        identities.every(({ recent }) => recent.length === 0) ? (
          <Empty title="No run is kept any more">
            Its verdict stays; its executions were deleted because of their age.
          </Empty>
        ) : (
          identities.map((each) => (
            <Identity key={`${each.pipeline_name}\0${each.job_name}`} of={each} repository={props.repository} />
          ))
        )
      }
    </Loaded>
    <p class="hint marks-key" aria-hidden="true">
      <span class="mark passed">
        <i />
      </span>
      passed
      <span class="mark flaky">
        <i />
      </span>
      failed, then passed in one job
      <span class="mark failed">
        <i />
      </span>
      failed
      <span class="mark skipped">
        <i />
      </span>
      skipped
    </p>
  </Section>
)
