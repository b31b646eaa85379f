/** Is this failure mine? The verdicts on the failures of a commit, a run or a pull request. */
import { type Resource, useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"
import { changeQuery, useQuery } from "../../Router.ts"
import { Pager } from "../../ui/Pager.tsx"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { PullSource } from "../../ui/Source.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { CommitLink } from "../../ui/SubjectLink.tsx"
import { Outcomes } from "../queue/Outcomes.tsx"
import { Conclusion } from "./Conclusion.tsx"
import { TestFailures } from "./Failure.tsx"
import { byTest } from "./Grouping.ts"
import { Precision } from "./Precision.tsx"
import { ForkRuns, Runs } from "./Runs.tsx"
import { nameOf, type Page, unknown } from "./Words.ts"

interface Props {
  readonly repository: Places.Repository
  readonly subject: Places.Subject
}

const filters = ["verdict", "pipeline_name", "job_name"] as const

/** Title, author and address of a pull request, as the list of pull requests knows them. */
const Change = ({ number, repository }: { readonly repository: Places.Repository; readonly number: string }) => {
  const found = useResource(Routes.commits(repository, "pulls", { search: `#${number}`, per_page: 1 }))
  const pull = found.status === "ready" ? found.answer.body.commits[0]?.pull_request : undefined
  // Reserve the line before its text is loaded, so that the layout does not shift.
  if (pull?.number !== Number(number)) return <p class="facts">&nbsp;</p>
  return (
    <p class="facts">
      <span class="subject">
        <strong>{pull.title ?? `Pull request #${number}`}</strong>
        <PullSource repository={repository} number={pull.number} />
      </span>
      {pull.author === null ? null : <span class="muted">by {pull.author}</span>}
    </p>
  )
}

const Where = ({ of: page, repository }: { readonly of: Page; readonly repository: Places.Repository }) => {
  const [latest] = page.runs
  if (latest === undefined) return null
  return (
    <p class="muted facts">
      <CommitLink repository={repository} commit={page.commit} /> on {latest.branch}
      {latest.base_branch === null ? "" : `, into ${latest.base_branch}`}
    </p>
  )
}

const NoFailures = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No failure matches">
      <button
        type="button"
        class="button"
        onClick={() => changeQuery({ verdict: null, pipeline_name: null, job_name: null })}
      >
        Show all failures
      </button>
    </Empty>
  ) : (
    <Empty title="No failures">Every test that ran passed or was skipped.</Empty>
  )

const Shown = ({ found, repository }: { readonly found: Resource<Page>; readonly repository: Places.Repository }) => {
  const query = useQuery()
  const isFiltered = filters.some((name) => query.has(name))
  return (
    <Loaded of={found} lines={8}>
      {(page, { cursors }) => (
        <div class="stack">
          <Where of={page} repository={repository} />
          <Conclusion of={page} />
          <Section
            title={isFiltered ? `${Format.plural(page.total, "failure")} match` : Format.plural(page.total, "failure")}
          >
            {page.failures.length === 0 ? (
              <NoFailures isFiltered={isFiltered} />
            ) : (
              <>
                <ol class="judged">
                  {byTest(page.failures).map((each) => (
                    <TestFailures key={each[0].test_id} of={each} repository={repository} commit={page.commit} />
                  ))}
                </ol>
                <Pager cursors={cursors} />
                <Precision repository={repository} />
              </>
            )}
          </Section>
          <Runs of={page.runs} repository={repository} />
          <ForkRuns of={page.fork_runs} repository={repository} />
        </div>
      )}
    </Loaded>
  )
}

export const FailuresPage = ({ repository, subject }: Props) => {
  const query = useQuery()
  const chosen = Object.fromEntries(filters.map((name) => [name, query.getAll(name)]))
  const found = useResource(
    Routes.judgedFailures(repository, subject, { ...chosen, per_page: 25, cursor: query.get("cursor") })
  )
  const isUnknown = found.status === "failed" && (found.failure.status === 404 || found.failure.status === 422)
  return (
    <>
      <PageTitle>Failures of {nameOf(subject)}</PageTitle>
      {isUnknown ? (
        <Empty title={`There are no results of ${nameOf(subject)}`}>{unknown[subject.kind]}</Empty>
      ) : (
        <div class="stack">
          {subject.kind === "pull" ? <Change repository={repository} number={subject.id} /> : null}
          <Shown found={found} repository={repository} />
          {subject.kind === "pull" ? <Outcomes repository={repository} number={subject.id} /> : null}
        </div>
      )}
    </>
  )
}
