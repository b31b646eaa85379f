/** The places where a test runs: its pipelines and jobs, each with its own verdict. */
import type { Wire } from "@lazaret/api"
import { type Resource, useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import type * as Places from "../../../Places.ts"
import { boundSentence, HealthBadge, LevelMark } from "../../../ui/Health.tsx"
import { Section } from "../../../ui/Section.tsx"
import { Empty, Loaded } from "../../../ui/States.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly testId: string
  readonly bounds: { readonly start: string; readonly end: string }
  readonly explanation: Resource<Wire.ExplainedTest>
}

const Verdict = ({ of: each }: { readonly of: Wire.ExplainedIdentity }) => (
  <>
    <HealthBadge status={each.health_status} />
    <span class="muted level-label" title={[each.confidence_reason, boundSentence(each)].join(". ")}>
      <LevelMark level={each.confidence} />
    </span>
  </>
)

export const Identities = ({ bounds, explanation, repository, testId }: Props) => {
  const found = useResource(Routes.executions(repository, testId, { ...bounds, per_page: 100 }))
  const verdicts = explanation.status === "ready" ? explanation.answer.body.identities : []
  return (
    <Section title="Where it runs">
      <Loaded of={found}>
        {({ executions }) =>
          executions.length === 0 ? (
            <Empty title="Nowhere in this time">Choose a longer time above.</Empty>
          ) : (
            <ul class="rows">
              {executions.map((each) => {
                const verdict = verdicts.find(
                  (one) => one.pipeline_name === each.pipeline_name && one.job_name === each.job_name
                )
                return (
                  <li key={`${each.pipeline_name}\0${each.job_name}`}>
                    <span class="row-main">
                      <span>
                        {each.pipeline_name} · {each.job_name}
                      </span>
                      <span class="muted">{Format.plural(each.executions_count, "run")}</span>
                    </span>
                    {verdict === undefined ? null : <Verdict of={verdict} />}
                  </li>
                )
              })}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}
