/** A repository in the morning: how much of it can be trusted, where it is going, and what to look at first. */
import type { Wire } from "@lazaret/api"
import { isLoading, useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import { phraseOf } from "../../Owners.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { BadgeOffer } from "../../ui/BadgeOffer.tsx"
import { FirstReport } from "../../ui/FirstReport.tsx"
import { FailureRate, HealthBadge, HealthShape, type HealthStatus } from "../../ui/Health.tsx"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { Empty, Failed, Loaded, PageSkeleton } from "../../ui/States.tsx"
import { TestName } from "../../ui/TestName.tsx"
import { Since, Time } from "../../ui/Time.tsx"
import { Changes, changesOf, outagesOf } from "./overview/Changes.tsx"
import { Owners } from "./overview/Owners.tsx"
import { Recovered } from "./overview/Recovered.tsx"
import { FailedPerDay, RedRuns, Trend } from "./overview/Trends.tsx"

interface Props {
  readonly repository: Places.Repository
}

const statuses: ReadonlyArray<HealthStatus> = ["broken", "flaky", "healthy"]

const areas = { healthy: "passed", flaky: "flaky", broken: "failed" } as const

const ShareBar = ({ of: tests }: { readonly of: Wire.RepositorySummary["tests"] }) => {
  const all = statuses.reduce((sum, status) => sum + tests[status], 0)
  let from = 0
  return (
    <svg class="share-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      {statuses.map((status) => {
        const width = (tests[status] / all) * 100
        const x = from
        from += width
        return <rect key={status} class={`fill-${areas[status]}`} x={x} y="0" width={width} height="4" />
      })}
    </svg>
  )
}

const Shares = ({ of: summary, repository }: Props & { readonly of: Wire.RepositorySummary }) => {
  const { tests } = summary
  const all = statuses.reduce((sum, status) => sum + tests[status], 0)
  return (
    <div class="shares">
      <div class="figures">
        {statuses.map((status) => (
          <a key={status} class="figure" href={href(Places.tests(repository, { health_status: status }))}>
            <span class="figure-value">{Format.number(tests[status])}</span>
            <span class="figure-label">
              <HealthShape status={status} />
              <span>
                {status}, <span class="share">{Format.percent(tests[status] / all)}</span>
              </span>
            </span>
          </a>
        ))}
        <a class="figure" href={href(Places.quarantine(repository))}>
          <span class="figure-value">{Format.number(summary.quarantines)}</span>
          <span class="figure-label">in quarantine</span>
        </a>
      </div>
      <ShareBar of={tests} />
    </div>
  )
}

const NoTests = ({ repository }: Props) => (
  <Section title="No test has run lately">
    <p>
      Tests are shown when they have run on the default branch in the last 30 days. Send a report of them from CI, or by
      hand:
    </p>
    <FirstReport repository={repository} />
  </Section>
)

/** The tests that a person should look at first. */
const worstOf = (repository: Places.Repository) =>
  Routes.tests(repository, { health_status: ["broken", "flaky"], per_page: 8 })

/** Names the owners. Renders nothing where nobody owns the test. */
const OwnersOf = ({ test }: { readonly test: Wire.ListedTest }) =>
  test.owners.length === 0 ? null : <span>{phraseOf(test.owners)}</span>

const Worst = ({ repository }: Props) => {
  const found = useResource(worstOf(repository))
  return (
    <Section
      title="What needs attention"
      hint="Broken: fix it, or revert the change that broke it. Flaky: run the job again; fix or quarantine the test."
      aside={
        <a href={href(`${Places.tests(repository)}?health_status=broken&health_status=flaky`)}>
          {found.status === "ready" && found.answer.body.total > 0
            ? `all ${Format.number(found.answer.body.total)}`
            : "all of them"}
        </a>
      }
    >
      <Loaded of={found} lines={6}>
        {({ tests }) =>
          tests.length === 0 ? (
            <Empty title="Every test can be trusted">No test is flaky or broken.</Empty>
          ) : (
            <ul class="rows">
              {tests.map((each) => (
                <li key={`${each.test_id} ${each.pipeline_name} ${each.job_name}`}>
                  <span class="row-main">
                    <a class="row-link" data-row="true" href={href(Places.test(repository, each.test_id))}>
                      <TestName name={each.test_name} />
                    </a>
                    <span class="muted">
                      {each.since === null ? null : (
                        <>
                          <Since at={each.since} />
                          {", "}
                        </>
                      )}
                      {each.last_failure_at === null ? null : (
                        <>
                          last failed <Time at={each.last_failure_at} />,{" "}
                        </>
                      )}
                      {each.pipeline_name} · {each.job_name}
                    </span>
                    <OwnersOf test={each} />
                  </span>
                  {each.is_quarantined ? <span class="badge plain">quarantined</span> : null}
                  <FailureRate of={each} />
                  <HealthBadge status={each.health_status} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

export const OverviewPage = ({ repository }: Props) => {
  const summary = useResource(Routes.summary(repository))
  const trend = useResource(Routes.trend(repository))
  // Render the visible part at once: a page that fills piece by piece shifts its layout.
  const others = [
    useResource(worstOf(repository)),
    useResource(changesOf(repository)),
    useResource(outagesOf(repository))
  ]
  const title = (
    <PageTitle class="visually-hidden">
      {repository.owner}/{repository.repository}
    </PageTitle>
  )
  if (isLoading([summary, trend, ...others])) return <PageSkeleton title={title} />
  if (summary.status === "failed") {
    return (
      <>
        {title}
        <Failed failure={summary.failure} retry={summary.retry} />
      </>
    )
  }
  if (summary.status === "loading") return <PageSkeleton title={title} />
  const counts = summary.answer.body
  if (statuses.every((status) => counts.tests[status] === 0)) {
    return (
      <>
        {title}
        <NoTests repository={repository} />
      </>
    )
  }
  return (
    <>
      {title}
      <div class="columns">
        <div class="stack">
          <Section title="Tests now" hint="One test counts once for each pipeline and job that runs it.">
            <Shares of={counts} repository={repository} />
            <BadgeOffer repository={repository} />
          </Section>
          <Worst repository={repository} />
          <Owners repository={repository} />
          <Recovered repository={repository} />
          <FailedPerDay of={trend} />
        </div>
        <div class="stack">
          <Trend of={trend} />
          <RedRuns of={trend} />
          <Changes repository={repository} />
        </div>
      </div>
    </>
  )
}
