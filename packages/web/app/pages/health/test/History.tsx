/** A test over time: its health, what its runs ended with, and how long they took, on one axis. */
import type { Operations } from "@lazaret/api"
import type { ComponentChildren } from "preact"
import { useMemo } from "preact/hooks"
import { HealthBand, TransitionList } from "../../../charts/HealthBand.tsx"
import { TimeChart } from "../../../charts/TimeChart.tsx"
import { type Resource, useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import type * as Places from "../../../Places.ts"
import { Section } from "../../../ui/Section.tsx"
import { Empty, Failed, Loaded, Loading } from "../../../ui/States.tsx"

interface Bounds {
  readonly start: string
  readonly end: string
}

interface Props {
  readonly repository: Places.Repository
  readonly testId: string
  readonly bounds: Bounds
  readonly choice: ComponentChildren
}

type Statistic = Operations["getTestStatistic"]["response"]

type Buckets = Statistic["value_over_time"]

const hour = 3_600_000

const day = 24 * hour

/** A bucket as people name it: a day, or a span of hours within one. */
const bucketName = (start: number, end: number): string =>
  end - start >= day || end === start ? Format.day(start) : `${Format.day(start)}, ${clock(start)} to ${clock(end)}`

const clock = (at: number): string => new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })

const timesOf = (buckets: Buckets) => ({
  starts: buckets.map(({ start }) => Date.parse(start)),
  ends: buckets.map(({ end }) => Date.parse(end))
})

const valuesOf = (found: Resource<Statistic>): ReadonlyArray<number> =>
  found.status === "ready" ? found.answer.body.value_over_time.map(({ value }) => value) : []

/**
 * Runs by what they ended with. Flaky ones are also counted as passed or failed, so they are taken out there: first of
 * the failures, which most of them are.
 */
const split = (passed: number, failed: number, flaky: number) => {
  const plainFailed = Math.max(0, failed - flaky)
  return { failed: plainFailed, flaky, passed: Math.max(0, passed + failed - flaky - plainFailed) }
}

const Runs = (props: { readonly of: ReadonlyArray<Resource<Statistic>> }) => {
  const [passed, failed, flaky] = props.of
  const broken = props.of.find((each) => each.status === "failed")
  const isReady = props.of.every((each) => each.status === "ready")
  const chart = useMemo(
    () => {
      if (!isReady || passed?.status !== "ready" || failed === undefined || flaky === undefined) return null
      const [passes, failures, flakes] = [passed, failed, flaky].map(valuesOf)
      const parts = (passes ?? []).map((each, index) => split(each, failures?.[index] ?? 0, flakes?.[index] ?? 0))
      return {
        ...timesOf(passed.answer.body.value_over_time),
        total: parts.reduce((sum, each) => sum + each.passed + each.failed + each.flaky, 0),
        series: [
          { label: "passed", color: "--area-passed" as const, values: parts.map((each) => each.passed) },
          { label: "flaky", color: "--area-flaky" as const, values: parts.map((each) => each.flaky) },
          { label: "failed", color: "--area-failed" as const, values: parts.map((each) => each.failed) }
        ]
      }
    },
    props.of.map((each) => (each.status === "ready" ? each.answer : null))
  )
  if (broken?.status === "failed") return <Failed failure={broken.failure} retry={broken.retry} />
  if (chart === null) return <Loading lines={5} />
  if (chart.total === 0) return <Empty title="It did not run in this time">Choose a longer time above.</Empty>
  return (
    <TimeChart
      label={`Runs over time, ${Format.number(chart.total)} in all, as stacked bars of passed, flaky and failed ones`}
      kind="bars"
      format={Format.number}
      time={bucketName}
      starts={chart.starts}
      ends={chart.ends}
      series={chart.series}
    />
  )
}

const Durations = ({ of: found }: { readonly of: Statistic }) => {
  const chart = useMemo(
    () => ({
      ...timesOf(found.value_over_time),
      series: [
        {
          label: "mean duration",
          color: "--accent" as const,
          // A bucket without runs has no duration, and its zero would be drawn as one.
          values: found.value_over_time.map(({ value }) => (value === 0 ? null : value))
        }
      ]
    }),
    [found]
  )
  return found.value === 0 ? (
    <Empty title="No duration is known">Its reports do not say how long it took.</Empty>
  ) : (
    <TimeChart
      label={`Mean duration over time, ${Format.duration(found.value)} in all`}
      kind="line"
      height={140}
      format={Format.duration}
      time={bucketName}
      {...chart}
    />
  )
}

export const History = ({ bounds, choice, repository, testId }: Props) => {
  const statistic = (stat: string) => Routes.testStatistic(repository, { testId, stat }, { ...bounds })
  const runs = [
    useResource(statistic("success_count")),
    useResource(statistic("failure_count")),
    useResource(statistic("flaky_count"))
  ]
  const duration = useResource(statistic("mean_duration"))
  const transitions = useResource(Routes.transitions(repository, testId, { ...bounds }))
  return (
    <>
      <Section title="Health over time" aside={choice}>
        <Loaded of={transitions}>
          {({ transitions: all }) =>
            all.length === 0 ? (
              <Empty title="There are no results of this time">It had not run yet, or did not run in this time.</Empty>
            ) : (
              <>
                <HealthBand transitions={all} start={Date.parse(bounds.start)} end={Date.parse(bounds.end)} />
                <TransitionList repository={repository} transitions={all} />
              </>
            )
          }
        </Loaded>
      </Section>
      <div class="columns">
        <Section title="Runs" aside={duration.status === "ready" ? "Passed, flaky and failed" : undefined}>
          <Runs of={runs} />
        </Section>
        <Section
          title="Mean duration"
          aside={duration.status === "ready" ? Format.duration(duration.answer.body.value) : undefined}
        >
          <Loaded of={duration} lines={5}>
            {(statisticFound) => <Durations of={statisticFound} />}
          </Loaded>
        </Section>
      </div>
    </>
  )
}
