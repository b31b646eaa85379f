/** The latest changes of health, and the pull requests behind them. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import * as Places from "../../../Places.ts"
import { href } from "../../../Router.ts"
import { HealthBadge, type HealthStatus } from "../../../ui/Health.tsx"
import { keyOf, OutageRow } from "../../../ui/Outage.tsx"
import { Section } from "../../../ui/Section.tsx"
import { Empty, Loaded } from "../../../ui/States.tsx"
import { CommitLink, PullLink } from "../../../ui/SubjectLink.tsx"
import { TestName } from "../../../ui/TestName.tsx"
import { Time } from "../../../ui/Time.tsx"

interface Props {
  readonly repository: Places.Repository
}

const isStatus = (value: unknown): value is HealthStatus =>
  value === "healthy" || value === "flaky" || value === "broken"

const Cause = ({ of: { detail }, repository }: Props & { readonly of: Wire.Event }) => {
  const { commit, pull_request: pull } = detail
  if (typeof pull === "object" && pull !== null && "number" in pull && "title" in pull) {
    return <PullLink repository={repository} of={{ number: Number(pull.number), title: String(pull.title) }} />
  }
  return typeof commit === "string" ? <CommitLink repository={repository} commit={commit} /> : null
}

/** When the run finished that brought the change; of older events, when it was observed. */
const whenOf = ({ at, detail }: Wire.Event): string => (typeof detail["ran_at"] === "string" ? detail["ran_at"] : at)

/** The latest changes of verdicts. */
export const changesOf = (repository: Places.Repository) =>
  Routes.events(repository, { type: "test.health_changed", per_page: 8 })

/** The latest outages. */
export const outagesOf = (repository: Places.Repository) => Routes.outages(repository, { per_page: 3 })

const Change = ({ of: each, repository }: Props & { readonly of: Wire.Event }) => (
  <li>
    <span class="row-main">
      {each.test_id === null ? (
        <span>{each.summary}</span>
      ) : (
        <a class="row-link" data-row="true" href={href(Places.test(repository, each.test_id))}>
          <TestName name={each.test_name ?? ""} />
        </a>
      )}
      <span class="muted">
        <Time at={whenOf(each)} /> · <Cause of={each} repository={repository} />
      </span>
    </span>
    {isStatus(each.detail["to"]) ? <HealthBadge status={each.detail["to"]} /> : null}
  </li>
)

/** Lists the latest outages. Renders nothing while they load, when the request fails, or when the repository has no outage. */
const Outages = ({ repository }: Props) => {
  const found = useResource(outagesOf(repository))
  if (found.status !== "ready" || found.answer.body.outages.length === 0) return null
  const { outages, total } = found.answer.body
  return (
    <>
      <ul class="rows">
        {outages.map((each) => (
          <OutageRow key={keyOf(each)} of={each} repository={repository} />
        ))}
      </ul>
      <p>
        <a href={href(Places.outages(repository))}>
          {total > outages.length ? `All ${Format.number(total)} outages` : "Outages"}
        </a>
      </p>
    </>
  )
}

export const Changes = ({ repository }: Props) => {
  const found = useResource(changesOf(repository))
  return (
    <Section title="What changed lately">
      <Outages repository={repository} />
      <Loaded of={found} lines={6}>
        {({ events }) =>
          events.length === 0 ? (
            <Empty title="Nothing has changed">A test that turns flaky or broken, or recovers, is shown here.</Empty>
          ) : (
            <ul class="rows">
              {events.map((each) => (
                <Change key={each.id} of={each} repository={repository} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}
