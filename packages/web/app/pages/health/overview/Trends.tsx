/** The last 30 days of a repository: its unhealthy tests, its red job runs, and its failed executions. */
import type { Wire } from "@lazaret/api"
import { useMemo } from "preact/hooks"
import { TimeChart } from "../../../charts/TimeChart.tsx"
import type { Resource } from "../../../data/Resource.ts"
import * as Format from "../../../Format.ts"
import { Section } from "../../../ui/Section.tsx"
import { Empty, Loaded } from "../../../ui/States.tsx"

type Found = Wire.RepositoryTrend

type Day = Found["days"][number]

interface Props {
  readonly of: Resource<Found>
}

const day = 86_400_000

const timesOf = ({ days }: Found) => {
  const starts = days.map(({ start }) => Date.parse(start))
  return { starts, ends: starts.map((start) => start + day) }
}

const sum = ({ days }: Found, read: (each: Day) => number): number =>
  days.reduce((total, each) => total + read(each), 0)

/** "7 more than 30 days ago". */
const change = (now: number | null, before: number | null): string => {
  if (now === null || before === null) return ""
  if (now === before) return ", as many as 30 days ago"
  return `, ${Format.number(Math.abs(now - before))} ${now > before ? "more" : "fewer"} than 30 days ago`
}

const TrendChart = ({ of: found }: { readonly of: Found }) => {
  const chart = useMemo(
    () => ({
      ...timesOf(found),
      series: [
        { label: "flaky", color: "--area-flaky" as const, values: found.days.map((each) => each.flaky_tests) },
        { label: "broken", color: "--area-failed" as const, values: found.days.map((each) => each.broken_tests) },
        { label: "quarantined", color: "--accent" as const, values: found.days.map((each) => each.quarantines) }
      ]
    }),
    [found]
  )
  const [first, last] = [found.days[0], found.days.at(-1)]
  return (
    <>
      <p>
        {Format.number(last?.flaky_tests ?? 0)} flaky{change(last?.flaky_tests ?? null, first?.flaky_tests ?? null)};{" "}
        {Format.number(last?.broken_tests ?? 0)} broken{change(last?.broken_tests ?? null, first?.broken_tests ?? null)}
        .
      </p>
      <TimeChart
        label="Flaky, broken and quarantined tests at the end of each day for 30 days"
        kind="line"
        isCount
        format={Format.number}
        time={Format.dayUtc}
        {...chart}
      />
    </>
  )
}

export const Trend = ({ of }: Props) => (
  <Section title="Flaky, broken, quarantined" aside="At the end of each day">
    <Loaded of={of} lines={8}>
      {(found) => <TrendChart of={found} />}
    </Loaded>
  </Section>
)

/** The time that flaky tests cost: that of all tests of the runs that they alone made red. */
const Time = ({ of: found }: { readonly of: Found }) => {
  const seconds = sum(found, (each) => each.flaky_job_run_seconds)
  if (seconds === 0) return <>Their reports have no durations.</>
  return (
    <span title="The durations of all tests of these runs, added up. The set-up of the jobs is not known.">
      Their tests took <strong>{Format.duration(seconds)}</strong> together.
    </span>
  )
}

const RedChart = ({ of: found }: { readonly of: Found }) => {
  const chart = useMemo(
    () => ({
      ...timesOf(found),
      series: [
        {
          label: "flaky tests alone",
          color: "--area-flaky" as const,
          values: found.days.map((each) => each.flaky_job_runs)
        },
        {
          label: "other failures",
          color: "--area-failed" as const,
          values: found.days.map((each) => each.red_job_runs - each.flaky_job_runs - each.outages)
        },
        { label: "outages", color: "--accent" as const, values: found.days.map((each) => each.outages) }
      ]
    }),
    [found]
  )
  const [runs, flaky] = [sum(found, (each) => each.job_runs), sum(found, (each) => each.flaky_job_runs)]
  const red = sum(found, (each) => each.red_job_runs)
  return (
    <>
      <p>
        <strong>{Format.percent(flaky / runs)}</strong> of the job runs were red, and only tests failed in them that are
        flaky now: {Format.number(flaky)} of {Format.number(runs)}. {flaky === 0 ? null : <Time of={found} />}
      </p>
      <TimeChart
        label={`Red job runs per day for 30 days, ${Format.number(red)} of ${Format.number(runs)}, by what made them red`}
        kind="bars"
        height={150}
        format={Format.number}
        time={Format.dayUtc}
        {...chart}
      />
    </>
  )
}

export const RedRuns = ({ of }: Props) => (
  <Section
    title="Red job runs"
    aside={
      of.status === "ready"
        ? `${Format.number(sum(of.answer.body, (each) => each.red_job_runs))} of ${Format.number(sum(of.answer.body, (each) => each.job_runs))} in 30 days`
        : undefined
    }
  >
    <Loaded of={of} lines={8}>
      {(found) =>
        sum(found, (each) => each.red_job_runs) === 0 ? (
          <Empty title="No job run was red">Of the default branch, in 30 days.</Empty>
        ) : (
          <RedChart of={found} />
        )
      }
    </Loaded>
  </Section>
)

const room = 1.25

/** The scale that shows the days without an outage; null where no outage is far above it. */
const ceilingOf = ({ days }: Found): number | null => {
  const usual = Math.max(4, ...days.filter(({ outages }) => outages === 0).map((each) => each.failed_executions))
  const most = Math.max(...days.map((each) => each.failed_executions))
  return most > usual * 2 ? Math.ceil(usual * room) : null
}

const FailedChart = ({ of: found }: { readonly of: Found }) => {
  const ceiling = ceilingOf(found)
  const chart = useMemo(
    () => ({
      ...timesOf(found),
      series: [
        { label: "failed", color: "--area-failed" as const, values: found.days.map((each) => each.failed_executions) }
      ]
    }),
    [found]
  )
  const beyond = ceiling === null ? [] : found.days.filter((each) => each.failed_executions > ceiling)
  return (
    <>
      <TimeChart
        label={`Failed executions per day for 30 days, ${Format.number(found.failed_executions)} of ${Format.number(found.executions)}`}
        kind="bars"
        height={150}
        format={Format.number}
        time={Format.dayUtc}
        {...(ceiling === null ? {} : { ceiling })}
        {...chart}
      />
      {beyond.length === 0 ? null : (
        <p class="hint">
          Beyond the scale, because of an outage:{" "}
          {beyond
            .map((each) => `${Format.dayUtc(Date.parse(each.start))} (${Format.number(each.failed_executions)})`)
            .join(", ")}
          .
        </p>
      )}
    </>
  )
}

export const FailedPerDay = ({ of }: Props) => (
  <Section
    title="Failed executions per day"
    aside={
      of.status === "ready"
        ? `${Format.number(of.answer.body.failed_executions)} of ${Format.number(of.answer.body.executions)} in 30 days`
        : undefined
    }
  >
    <Loaded of={of} lines={6}>
      {(found) =>
        found.failed_executions === 0 ? (
          <Empty title="No execution failed">Failures of the last 30 days are counted here.</Empty>
        ) : (
          <FailedChart of={found} />
        )
      }
    </Loaded>
  </Section>
)
