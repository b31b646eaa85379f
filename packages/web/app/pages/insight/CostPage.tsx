/** The page of costs: what flaky tests cost by week, and what is worth mending first. */
import type { Wire } from "@lazaret/api"
import { TimeChart } from "../../charts/TimeChart.tsx"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"
import { changeQuery, useQuery } from "../../Router.ts"
import { Pager } from "../../ui/Pager.tsx"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { Time } from "../../ui/Time.tsx"
import { CostFigures } from "./CostFigures.tsx"
import { CostTable } from "./CostTable.tsx"

const rows = ["cause", "test", "owner", "week"] as const

const spans = ["1", "4", "12"] as const

const spanWords: Readonly<Record<string, string>> = { "1": "this week", "4": "4 weeks", "12": "12 weeks" }

/** One value of a few, which stands in the address. */
const Choices = (props: {
  readonly label: string
  readonly name: string
  readonly values: ReadonlyArray<string>
  readonly value: string
  readonly words?: Readonly<Record<string, string>>
}) => (
  <fieldset class="choice">
    <legend>{props.label}</legend>
    <div class="choice-values">
      {props.values.map((value) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          onClick={() => changeQuery({ [props.name]: value })}
        >
          {props.words?.[value] ?? value}
        </button>
      ))}
    </div>
  </fieldset>
)

const chosen = <A extends string>(values: ReadonlyArray<A>, value: string | null, fallback: A): A =>
  values.find((each) => each === value) ?? fallback

const week = 7 * 86_400_000

/** Minutes as the axis has room for. */
const minutes = (value: number): string =>
  value < 60 ? Format.duration(value * 60) : `${Number((value / 60).toFixed(1))} h`

/** Minutes, then hours: the axis has no third of an hour. */
const hours = [1, 2, 5, 10, 20, 50].flatMap((step) => [step, step * 100])
const steps = [1, 2, 5, 10, 15, 30, ...hours.sort((a, b) => a - b).map((step) => step * 60)]

/** The time of jobs in each week, as bars. */
const Weeks = ({ of: { weeks } }: { readonly of: Wire.CostFigures }) => {
  const starts = weeks.map(({ start }) => Date.parse(start))
  const flakes = weeks.map(({ machine_minutes }) => machine_minutes)
  const outages = weeks.map(({ outage_minutes }) => outage_minutes)
  return (
    <Section title="Time of jobs by week" aside="Weeks begin on Monday, UTC">
      <TimeChart
        label="Minutes of jobs by week, for flakes and for outages"
        kind="bars"
        height={150}
        starts={starts}
        ends={starts.map((start) => start + week)}
        series={[
          { label: "flakes", color: "--area-flaky", values: flakes },
          { label: "outages", color: "--area-failed", values: outages }
        ]}
        format={minutes}
        steps={steps}
        time={Format.dayUtc}
      />
    </Section>
  )
}

export const CostPage = ({ repository }: { readonly repository: Places.Repository }) => {
  const query = useQuery()
  const by = chosen(rows, query.get("by"), "cause")
  const span = chosen(spans, query.get("weeks"), "4")
  const found = useResource(
    Routes.costs(repository, { by, weeks: Number(span), cursor: query.get("cursor"), per_page: 25 })
  )
  const page = found.status === "ready" ? found.answer.body : null
  return (
    <>
      <PageTitle>Cost</PageTitle>
      <div class="cost-choices">
        <Choices label="Rows" name="by" values={rows} value={by} />
        <Choices label="Time" name="weeks" values={spans} value={span} words={spanWords} />
      </div>
      <Section
        title="What flaky tests cost"
        aside={
          page === null || page.computed_at === null ? undefined : (
            <>
              Computed <Time at={page.computed_at} />
            </>
          )
        }
      >
        <Loaded of={found} lines={6}>
          {(body) =>
            body.figures === null ? (
              <Empty title="No figures">{Format.capitalized(body.sentence)}.</Empty>
            ) : (
              <CostFigures of={body.figures} />
            )
          }
        </Loaded>
      </Section>
      {page === null || page.figures === null ? null : <Weeks of={page.figures} />}
      {page === null || page.figures === null ? null : (
        <Section title={Format.capitalized(page.sentence)} aside={`By ${by}`}>
          <Loaded of={found} lines={8}>
            {({ costs, figures }, { cursors }) =>
              costs.length === 0 || figures === null ? (
                <Empty title="No cost">No flaky test has cost anything in these weeks.</Empty>
              ) : (
                <>
                  <CostTable rows={costs} by={by} isPriced={figures.is_priced} repository={repository} />
                  <Pager cursors={cursors} />
                </>
              )
            }
          </Loaded>
        </Section>
      )}
    </>
  )
}
