/** A cause in a list: its name, how often, its tests, and what can be decided about it. */
import type { Wire } from "@lazaret/api"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
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

/** The search of the list of tests that finds a name: a word with `!` before it would leave tests out. */
const searchFor = (name: string): string => name.replaceAll(/(?<!\S)!+/gu, "")

const Tests = ({ of: { test_names: names, tests }, repository }: Pick<Props, "of" | "repository">) => (
  <details>
    <summary>{Format.plural(tests, "test")}</summary>
    <ul class="cause-tests">
      {names.map((name) => (
        <li key={name}>
          <a href={href(Places.tests(repository, { search: searchFor(name) }))}>
            <TestName name={name} />
          </a>
        </li>
      ))}
      {tests > names.length ? <li class="muted">and {Format.number(tests - names.length)} more</li> : null}
    </ul>
  </details>
)

export const CauseRow = ({ ask, of, repository }: Props) => {
  const [latest] = of.examples
  return (
    <li>
      <span class="row-main">
        <strong>{of.name}</strong>
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
        <span class="muted">By week: {of.weeks.join(" ")}</span>
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
