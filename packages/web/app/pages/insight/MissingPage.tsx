/** The list of losses: tests and jobs that did not run although they were expected, the latest first. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"
import { useQuery } from "../../Router.ts"
import { Pager } from "../../ui/Pager.tsx"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { CommitLink } from "../../ui/SubjectLink.tsx"
import { TestName } from "../../ui/TestName.tsx"
import { Time } from "../../ui/Time.tsx"

interface RowProps {
  readonly of: Wire.Loss
  readonly repository: Places.Repository
}

const jobOf = ({ job_names: [first = ""], jobs, pipeline_name }: Wire.Loss): string =>
  `${pipeline_name} / ${first}${jobs > 1 ? ` and ${jobs - 1} more` : ""}`

const stateOf = ({ runs, state }: Wire.Loss): string => {
  const count = Format.plural(runs, "run")
  if (state === "open") return `missing in ${count} so far`
  return state === "returned" ? `ran again after ${count}` : `not expected any more after ${count}`
}

const colours = { open: "flaky", returned: "healthy", gone: "plain" } as const

const Names = ({ of: { missing, renamed, renames, suites, test_names } }: Pick<RowProps, "of">) => {
  const more = missing - renamed - test_names.length
  return test_names.length + renames.length === 0 ? null : (
    <details>
      <summary>{Format.plural(missing, "test")}</summary>
      {suites.length > 1 ? (
        <p class="muted">{suites.map(({ name, tests }) => `${name}: ${tests}`).join(", ")}</p>
      ) : null}
      <ul class="cause-tests">
        {test_names.map((name) => (
          <li key={name}>
            <TestName name={name} />
          </li>
        ))}
        {more > 0 && test_names.length > 0 ? <li class="muted">and {Format.number(more)} more</li> : null}
        {renames.map(({ from, to }) => (
          <li key={from}>
            <TestName name={from} /> → <TestName name={to} />
          </li>
        ))}
      </ul>
    </details>
  )
}

const LossRow = ({ of: loss, repository }: RowProps) => (
  <li>
    <span class="row-main">
      <strong>{Format.capitalized(loss.sentence)}</strong>
      <span class="muted">
        {jobOf(loss)} · {stateOf(loss)} · since <CommitLink commit={loss.commit} repository={repository} />,{" "}
        <Time at={loss.finished_at} />
      </span>
      {loss.kind === "renamed" ? (
        <span class="muted">
          <code>lazaret tests renames --accept</code> gives the new names the history of the old ones.
        </span>
      ) : null}
      <Names of={loss} />
    </span>
    <span class={`badge ${colours[loss.state]}`}>{loss.state}</span>
  </li>
)

/** The number of jobs that were searched, and when. The empty page shows the number itself. */
const asideOf = ({ computed_at, losses, sentence }: Wire.LossesPage) =>
  computed_at === null ? null : (
    <>
      {losses.length === 0 ? "Searched " : `${Format.capitalized(sentence)}, searched `}
      <Time at={computed_at} />
    </>
  )

/** Nothing is missing only where runs were compared. */
const emptyTitle = ({ computed_at, missing_runs }: Wire.LossesPage): string =>
  computed_at === null || missing_runs > 0 ? "Nothing is known yet" : "Nothing is missing"

export const MissingPage = ({ repository }: { readonly repository: Places.Repository }) => {
  const query = useQuery()
  const found = useResource(Routes.losses(repository, { cursor: query.get("cursor"), per_page: 25 }))
  return (
    <>
      <PageTitle>Missing</PageTitle>
      <Section title="Tests that did not run" aside={found.status === "ready" ? asideOf(found.answer.body) : undefined}>
        <Loaded of={found} lines={8}>
          {(page, { cursors }) =>
            page.losses.length === 0 ? (
              <Empty title={emptyTitle(page)}>{Format.capitalized(page.sentence)}.</Empty>
            ) : (
              <>
                <ul class="rows">
                  {page.losses.map((each) => (
                    <LossRow key={each.id} of={each} repository={repository} />
                  ))}
                </ul>
                <Pager cursors={cursors} />
              </>
            )
          }
        </Loaded>
      </Section>
    </>
  )
}
