/** All tests of a repository: filtered, sorted, page by page; what is asked stands in the address. */
import type { Wire } from "@lazaret/api"
import { useLazyResource } from "../data/Lazily.ts"
import { useQuarantined } from "../data/Quarantined.ts"
import { useResource } from "../data/Resource.ts"
import * as Routes from "../data/Routes.ts"
import * as Format from "../Format.ts"
import * as Places from "../Places.ts"
import { changeQuery, href, useQuery } from "../Router.ts"
import { boundSentence, HealthBadge, LevelMark } from "../ui/Health.tsx"
import { Outcomes } from "../ui/Outcomes.tsx"
import { Pager } from "../ui/Pager.tsx"
import { PageTitle, Section } from "../ui/Section.tsx"
import { Empty, Loaded } from "../ui/States.tsx"
import { TestName } from "../ui/TestName.tsx"
import { FilterBar } from "./tests/FilterBar.tsx"
import * as Filters from "./tests/Filters.ts"

interface Props {
  readonly repository: Places.Repository
}

type Test = Wire.TestSearchResult

const columns: ReadonlyArray<readonly [Filters.Sort | null, string]> = [
  ["test_name", "Test"],
  ["pipeline_name", "Pipeline"],
  ["job_name", "Job"],
  ["health_status", "Health"],
  ["health_confidence", "Confidence"],
  ["failed_executions_impact", "Impact"],
  [null, "Latest runs"]
]

const Head = () => {
  const query = useQuery()
  const sort = query.get("sort") ?? "executions_count"
  const direction = query.get("direction") ?? "desc"
  return (
    <thead>
      <tr>
        {columns.map(([name, label]) => {
          if (name === null) return <th key={label}>{label}</th>
          const isSorted = sort === name
          const next = isSorted && direction === "desc" ? "asc" : "desc"
          return (
            <th key={label} aria-sort={isSorted ? (direction === "asc" ? "ascending" : "descending") : undefined}>
              <button type="button" class="sort-button" onClick={() => changeQuery({ sort: name, direction: next })}>
                {label}
                <span aria-hidden="true">{isSorted ? (direction === "asc" ? " ↑" : " ↓") : ""}</span>
              </button>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

const Row = ({ isQuarantined, repository, test }: Props & { readonly test: Test; readonly isQuarantined: boolean }) => {
  const { element, resource } = useLazyResource(Routes.explain(repository, test.test_id))
  const identity =
    resource.status === "ready"
      ? resource.answer.body.identities.find(
          (each) => each.pipeline_name === test.pipeline_name && each.job_name === test.job_name
        )
      : undefined
  const { failed_executions_impact: impact, health_confidence: confidence, health_status: status } = test.metrics
  return (
    <tr>
      <th scope="row" class="cell-name">
        <a class="row-link" href={href(Places.test(repository, test.test_id))}>
          <TestName name={test.test_name} />
        </a>
        {isQuarantined ? <span class="badge plain">quarantined</span> : null}
      </th>
      <td class="cell-pipeline">{test.pipeline_name}</td>
      <td class="cell-job">{test.job_name}</td>
      <td class="cell-health">
        <HealthBadge status={status} />
      </td>
      <td
        class="cell-confidence"
        data-label="confidence"
        title={identity === undefined ? undefined : boundSentence(identity)}
      >
        <LevelMark level={confidence} />
      </td>
      <td class="cell-impact" data-label="impact">
        {impact === null ? <span class="muted">none</span> : <LevelMark level={impact} />}
      </td>
      <td class="cell-outcomes">
        <span ref={element} class="outcomes-slot">
          {identity === undefined ? null : <Outcomes of={identity.recent} />}
        </span>
      </td>
    </tr>
  )
}

const Table = ({ page, repository }: Props & { readonly page: Wire.SearchPage }) => {
  const quarantined = useQuarantined(
    repository,
    page.tests.map((test) => test.test_name)
  )
  return (
    <div class="table-wrap">
      <table class="tests">
        <Head />
        <tbody>
          {page.tests.map((test) => (
            <Row
              key={`${test.test_id} ${test.pipeline_name} ${test.job_name}`}
              test={test}
              repository={repository}
              isQuarantined={quarantined.has(test.test_name)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

export const TestsPage = ({ repository }: Props) => {
  const query = useQuery()
  const found = useResource(Routes.searchTests(repository, Filters.questionOf(query)))
  const total = found.status === "ready" ? found.answer.body.total : null
  return (
    <>
      <PageTitle>Tests</PageTitle>
      <FilterBar />
      <Section
        title={total !== null ? Format.plural(total, "test") : found.status === "failed" ? "Results" : "Searching"}
        aside="Once for each pipeline and job that ran it in 30 days"
      >
        <Loaded of={found} lines={10}>
          {(page, { cursors }) =>
            page.tests.length === 0 ? (
              <Empty title="No test matches">
                {Filters.activeIn(query).length === 0
                  ? "Nothing ran on the default branch in the last 30 days: upload a report of it."
                  : "Remove a filter, or search for a shorter part of the name."}
              </Empty>
            ) : (
              <>
                <Table page={page} repository={repository} />
                <Pager cursors={cursors} />
              </>
            )
          }
        </Loaded>
      </Section>
    </>
  )
}
