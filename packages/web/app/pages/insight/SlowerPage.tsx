/** The tests and jobs that became slower, those that add most time each week first. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { CommitLink } from "../../ui/SubjectLink.tsx"
import { TestName } from "../../ui/TestName.tsx"
import { Time } from "../../ui/Time.tsx"

type Line = Wire.SlowerLine

const size = { width: 160, height: 32 } as const

/** The latest durations as a line; the text next to it says what it shows. */
const Sparkline = ({ seconds }: { readonly seconds: ReadonlyArray<number> }) => {
  const most = Math.max(...seconds, 0.001)
  const step = size.width / Math.max(1, seconds.length - 1)
  const points = seconds.map((each, index) => {
    const y = size.height - 2 - (each / most) * (size.height - 4)
    return `${(index * step).toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg class="sparkline" viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
      <polyline points={points.join(" ")} />
    </svg>
  )
}

const Subject = ({ of, repository }: { readonly of: Line; readonly repository: Places.Repository }) =>
  of.test_name === null || of.test_id === null ? (
    <strong>
      {of.pipeline_name} / {of.job_name} as a whole, {Format.plural(of.tests, "test")}
    </strong>
  ) : (
    <a href={href(Places.test(repository, of.test_id))}>
      <TestName name={of.test_name} />
    </a>
  )

const SlowerRow = ({ of, repository }: { readonly of: Line; readonly repository: Places.Repository }) => (
  <li>
    <span class="row-main">
      <Subject of={of} repository={repository} />
      <span>
        {of.kind === "started" ? "did nothing before, now " : `${Format.duration(of.before_seconds)} → `}
        {Format.duration(of.after_seconds)}, <strong>{Format.duration(of.added_seconds_per_week)} more a week</strong>
      </span>
      <span class="muted">
        {of.test_name === null ? "" : `${of.pipeline_name} / ${of.job_name} · `}since <Time at={of.started_at} />, after{" "}
        <CommitLink repository={repository} commit={of.last_commit} /> and not later than{" "}
        <CommitLink repository={repository} commit={of.first_commit} /> · {of.confidence} confidence
      </span>
    </span>
    <Sparkline seconds={of.latest_seconds} />
  </li>
)

export const SlowerPage = ({ repository }: { readonly repository: Places.Repository }) => {
  const found = useResource(Routes.slower(repository))
  const title = found.status === "ready" ? Format.plural(found.answer.body.total, "change") : "Changes"
  return (
    <>
      <PageTitle>What became slower</PageTitle>
      <Section
        title={title}
        aside={
          found.status === "ready" && found.answer.body.tests > 0
            ? Format.capitalized(found.answer.body.sentence)
            : undefined
        }
      >
        <Loaded of={found} lines={8}>
          {(page) =>
            page.lines.length === 0 ? (
              <Empty title={page.tests === 0 ? "Nothing to compare yet" : "Nothing became slower"}>
                {page.tests === 0 ? "Tests are compared that take at least a minute a week. " : ""}A change is shown
                from the fifth measurement on, when it adds at least a minute a week.
              </Empty>
            ) : (
              <ul class="rows">
                {page.lines.map((each) => (
                  <SlowerRow
                    key={`${each.pipeline_name} ${each.job_name} ${each.test_id} ${each.started_at}`}
                    of={each}
                    repository={repository}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
    </>
  )
}
