/** A cause in a list: its name, how often, its tests, and what can be decided about it. */
import type { Wire } from "@lazaret/api"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { Prose } from "../../ui/Prose.tsx"
import { CommitLink } from "../../ui/SubjectLink.tsx"
import { TestName } from "../../ui/TestName.tsx"
import { Time } from "../../ui/Time.tsx"
import type { Question } from "./CauseDialogs.tsx"

type Cause = Wire.SharedCause

interface Props {
  readonly of: Cause
  readonly repository: Places.Repository
  readonly ask: (question: Question) => void
}

const colours = { open: "flaky", silenced: "plain", closed: "healthy", gone: "plain" } as const

const Decisions = ({ of: { owner, silenced_until, state, ticket } }: Pick<Props, "of">) => (
  <>
    <span class={`badge ${colours[state]}`}>{state}</span>
    {owner === null ? null : <span>owned by {owner}</span>}
    {ticket === null ? null : /^https?:\/\//u.test(ticket) ? <a href={ticket}>ticket</a> : <span>{ticket}</span>}
    {silenced_until === null ? null : <span>silenced until {Format.day(Date.parse(silenced_until))}</span>}
  </>
)

const Tests = ({ of: { test_ids: ids, test_names: names, tests }, repository }: Pick<Props, "of" | "repository">) => (
  <details>
    <summary>{Format.plural(tests, "test")}</summary>
    <ul class="cause-tests">
      {names.map((name, place) => (
        <li key={name}>
          <a href={href(Places.test(repository, ids[place] ?? ""))}>
            <TestName name={name} />
          </a>
        </li>
      ))}
      {tests > names.length ? <li class="muted">and {Format.number(tests - names.length)} more</li> : null}
    </ul>
  </details>
)

const barWidth = 8
const barHeight = 20

/** The red job runs of each week as bars, the oldest first; readers of screens hear the numbers. */
const Weeks = ({ of: weeks }: { readonly of: ReadonlyArray<number> }) => {
  const most = Math.max(1, ...weeks)
  return (
    <span class="cause-weeks muted">
      By week{" "}
      <svg
        role="img"
        aria-label={`Red job runs by week, the oldest first: ${weeks.join(", ")}`}
        width={weeks.length * (barWidth + 2)}
        height={barHeight}
      >
        {weeks.map((count, week) => {
          const height = count === 0 ? 1 : Math.max(2, Math.round((count / most) * barHeight))
          return <rect key={week} x={week * (barWidth + 2)} y={barHeight - height} width={barWidth} height={height} />
        })}
      </svg>{" "}
      {Format.number(weeks.at(-1) ?? 0)} in the last
    </span>
  )
}

export const CauseRow = ({ ask, of, repository }: Props) => {
  const [latest] = of.examples
  return (
    <li>
      <span class="row-main">
        <strong>
          <a href={href(Places.causes(repository, { cause: of.id }))}>
            <Prose text={of.name} />
          </a>
        </strong>
        <span class="muted">
          {Format.plural(of.job_runs, "red job run")}, {Format.percent(of.share)} of all · since{" "}
          {Format.day(Date.parse(of.first_at))}, last <Time at={of.last_at} />
          {latest === undefined ? null : (
            <>
              {" "}
              on <CommitLink repository={repository} commit={latest.commit} />
            </>
          )}
        </span>
        <Weeks of={of.weeks} />
        <span class="cause-decisions muted">
          <Decisions of={of} />
        </span>
        <Tests of={of} repository={repository} />
      </span>
      <span class="cause-actions">
        <button type="button" class="button" onClick={() => ask({ name: "own", cause: of })}>
          Own
        </button>
        <button type="button" class="button" onClick={() => ask({ name: "silence", cause: of })}>
          {of.silenced_until === null ? "Silence" : "End silence"}
        </button>
        <button type="button" class="button" onClick={() => ask({ name: "close", cause: of })}>
          {of.closed_at === null ? "Close" : "Reopen"}
        </button>
        <button type="button" class="button" onClick={() => ask({ name: "quarantine", cause: of })}>
          Quarantine
        </button>
      </span>
    </li>
  )
}
