/** A repository in the morning: how much of it can be trusted, and what to look at first. */
import type { Wire } from "@lazaret/api"
import { useMemo } from "preact/hooks"
import { TimeChart } from "../charts/TimeChart.tsx"
import { useQuarantined } from "../data/Quarantined.ts"
import { type Resource, useResource } from "../data/Resource.ts"
import * as Routes from "../data/Routes.ts"
import * as Format from "../Format.ts"
import * as Places from "../Places.ts"
import { href } from "../Router.ts"
import { BadgeOffer } from "../ui/BadgeOffer.tsx"
import { HealthBadge, HealthShape, LevelMark, type HealthStatus } from "../ui/Health.tsx"
import { PageTitle, Section } from "../ui/Section.tsx"
import { Empty, Loaded } from "../ui/States.tsx"
import { TestName } from "../ui/TestName.tsx"
import { Changes } from "./overview/Changes.tsx"
import { Recovered } from "./overview/Recovered.tsx"

interface Props {
  readonly repository: Places.Repository
}

const statuses: ReadonlyArray<HealthStatus> = ["healthy", "flaky", "broken"]

const areas = { healthy: "passed", flaky: "flaky", broken: "failed" } as const

const useTotal = (repository: Places.Repository, status: HealthStatus): Resource<Wire.SearchPage> =>
  useResource(Routes.searchTests(repository, { health_status: status, per_page: 1 }))

const totalOf = (found: Resource<Wire.SearchPage>): number | null =>
  found.status === "ready" ? found.answer.body.total : null

const ShareBar = ({ counts }: { readonly counts: ReadonlyArray<number> }) => {
  const all = counts.reduce((sum, each) => sum + each, 0)
  let from = 0
  return (
    <svg class="share-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      {statuses.map((status, index) => {
        const width = ((counts[index] ?? 0) / all) * 100
        const x = from
        from += width
        return <rect key={status} class={`fill-${areas[status]}`} x={x} y="0" width={width} height="4" />
      })}
    </svg>
  )
}

const Shares = ({ of: found, repository }: Props & { readonly of: ReadonlyArray<Resource<Wire.SearchPage>> }) => {
  const failed = found.find((each) => each.status === "failed")
  if (failed !== undefined) return <Loaded of={failed}>{() => null}</Loaded>
  const counts = found.map(totalOf)
  const all = counts.reduce<number>((sum, each) => sum + (each ?? 0), 0)
  return (
    <div class="shares">
      <div class="figures">
        {statuses.map((status, index) => {
          const count = counts[index] ?? null
          return (
            <a key={status} class="figure" href={href(Places.tests(repository, { health_status: status }))}>
              <span class="figure-value">{count === null ? "…" : Format.number(count)}</span>
              <span class="figure-label">
                <HealthShape status={status} />
                <span>
                  {status}
                  {count === null || all === 0 ? null : (
                    <>
                      , <span class="share">{Format.percent(count / all)}</span>
                    </>
                  )}
                </span>
              </span>
            </a>
          )
        })}
      </div>
      {all === 0 ? null : <ShareBar counts={counts.map((each) => each ?? 0)} />}
    </div>
  )
}

const NoTests = ({ repository: { owner, repository } }: Props) => (
  <Section title="No test has reported here lately">
    <p>
      Tests are shown when they have run on the default branch in the last 30 days. Send a report of them from CI, or by
      hand:
    </p>
    <pre tabIndex={0}>
      lazaret ingest --repo {owner}/{repository} --pipeline CI --job unit reports/junit.xml
    </pre>
  </Section>
)

const FailedPerDay = ({ repository }: Props) => {
  const found = useResource(Routes.repositoryStatistic(repository, "failed_executions"))
  return (
    <Section
      title="Failed executions per day"
      aside={found.status === "ready" ? `${Format.number(found.answer.body.value)} in 30 days` : undefined}
    >
      <Loaded of={found} lines={6}>
        {(statistic) =>
          statistic.value === 0 ? (
            <Empty title="No execution failed">Failures of the last 30 days are counted here.</Empty>
          ) : (
            <FailedChart statistic={statistic} />
          )
        }
      </Loaded>
    </Section>
  )
}

const FailedChart = ({ statistic }: { readonly statistic: Wire.RepositoryStatistic }) => {
  const chart = useMemo(() => {
    const buckets = statistic.value_over_time
    return {
      starts: buckets.map(({ start }) => Date.parse(start)),
      ends: buckets.map(({ end }) => Date.parse(end)),
      series: [{ label: "failed", color: "--area-failed" as const, values: buckets.map(({ value }) => value) }]
    }
  }, [statistic])
  return (
    <TimeChart
      label={`Failed executions per day for 30 days, ${Format.number(statistic.value)} in all`}
      kind="bars"
      format={Format.number}
      time={Format.dayUtc}
      {...chart}
    />
  )
}

const Worst = ({ repository }: Props) => {
  const query = { health_status: ["flaky", "broken"], sort: "failed_executions_ratio", direction: "desc", per_page: 8 }
  const found = useResource(Routes.searchTests(repository, query))
  const names = found.status === "ready" ? found.answer.body.tests.map((test) => test.test_name) : []
  const quarantined = useQuarantined(repository, names)
  return (
    <Section
      title="Tests that hurt most"
      aside={
        <a
          href={href(
            `${Places.tests(repository)}?health_status=flaky&health_status=broken&sort=failed_executions_ratio`
          )}
        >
          all of them
        </a>
      }
    >
      <Loaded of={found} lines={6}>
        {({ tests }) =>
          tests.length === 0 ? (
            <Empty title="Every test can be trusted">None is flaky or broken.</Empty>
          ) : (
            <ul class="rows">
              {tests.map((each) => (
                <li key={`${each.test_id} ${each.pipeline_name} ${each.job_name}`}>
                  <span class="row-main">
                    <a class="row-link" href={href(Places.test(repository, each.test_id))}>
                      <TestName name={each.test_name} />
                    </a>
                    {quarantined.has(each.test_name) ? (
                      <span>
                        <span class="badge plain">quarantined</span>
                      </span>
                    ) : null}
                    <span class="muted">
                      {each.pipeline_name} · {each.job_name}
                    </span>
                  </span>
                  <HealthBadge status={each.metrics.health_status} />
                  {each.metrics.failed_executions_impact === null ? null : (
                    <span class="muted" title="impact">
                      <LevelMark level={each.metrics.failed_executions_impact} />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

/** Whether it is known that there is nothing to show: no upload yet, or none for a month. */
const isNothing = (found: ReadonlyArray<Resource<Wire.SearchPage>>): boolean =>
  found.some((each) => each.status === "failed" && each.failure.status === 404) ||
  found.every((each) => totalOf(each) === 0)

export const OverviewPage = ({ repository }: Props) => {
  const found = [useTotal(repository, "healthy"), useTotal(repository, "flaky"), useTotal(repository, "broken")]
  const title = (
    <PageTitle class="visually-hidden">
      {repository.owner}/{repository.repository}
    </PageTitle>
  )
  if (isNothing(found)) {
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
            <Shares of={found} repository={repository} />
            <BadgeOffer repository={repository} />
          </Section>
          <Worst repository={repository} />
        </div>
        <div class="stack">
          <FailedPerDay repository={repository} />
          <Changes repository={repository} />
          <Recovered repository={repository} />
        </div>
      </div>
    </>
  )
}
