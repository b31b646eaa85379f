/** All tests of a repository: what needs attention first; what is asked stands in the address. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { changeQuery, href, useQuery } from "../../Router.ts"
import { Pager } from "../../ui/Pager.tsx"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { FilterBar } from "./tests/FilterBar.tsx"
import * as Filters from "./tests/Filters.ts"
import { TableSkeleton, TestTable } from "./tests/TestTable.tsx"

const sum = (counts: ReadonlyArray<{ readonly count: number }>): number =>
  counts.reduce((total, { count }) => total + count, 0)

/** The filters without one of which there would be results, and how many. */
const withoutOne = ({ facets }: Wire.TestListPage, query: URLSearchParams) =>
  (["health_status", "quarantined", "pipeline_name", "job_name"] as const).flatMap((name) => {
    const left = sum(facets[name])
    return query.has(name) && left > 0 ? [{ name, left }] : []
  })

const words = {
  health_status: "health",
  quarantined: "quarantine",
  pipeline_name: "pipeline",
  job_name: "job"
} as const

const NoMatch = ({ page }: { readonly page: Wire.TestListPage }) => {
  const query = useQuery()
  const suggestions = withoutOne(page, query)
  if (Filters.activeIn(query).length === 0) {
    return (
      <Empty title="No test ran lately">
        Nothing ran on the default branch in the last 30 days. The overview says how to upload a report.
      </Empty>
    )
  }
  return (
    <Empty title="No test matches">
      {suggestions.length > 0 ? (
        <span class="suggestions">
          {suggestions.map(({ left, name }) => (
            <button key={name} type="button" class="button" onClick={() => changeQuery({ [name]: null })}>
              Without the filter of {words[name]}: {Format.plural(left, "test")}
            </button>
          ))}
        </span>
      ) : (
        "Remove a word, or search for a shorter part of the name."
      )}
    </Empty>
  )
}

/** "26 to 50 of 312". */
const placeOf = ({ offset, size, total }: Wire.TestListPage): string =>
  size === total
    ? Format.plural(total, "test")
    : `${Format.number(offset + 1)} to ${Format.number(offset + size)} of ${Format.plural(total, "test")}`

export const TestsPage = ({ repository }: { readonly repository: Places.Repository }) => {
  const query = useQuery()
  const found = useResource(Routes.tests(repository, Filters.questionOf(query)))
  const page = found.status === "ready" ? found.answer.body : null
  const names = [...new Set((page?.tests ?? []).map((test) => test.test_name))].slice(0, 8)
  return (
    <>
      <PageTitle>Tests</PageTitle>
      <FilterBar facets={page?.facets ?? null} names={names} repository={repository} />
      <Section
        title={page === null ? (found.status === "failed" ? "Results" : "Tests") : placeOf(page)}
        aside="Of the default branch in 30 days, once for each pipeline and job"
      >
        <Loaded of={found} skeleton={<TableSkeleton rows={25} />}>
          {(shown, { cursors }) =>
            shown.tests.length === 0 ? (
              <NoMatch page={shown} />
            ) : (
              <>
                <TestTable tests={shown.tests} repository={repository} />
                <Pager cursors={cursors} of={shown} />
              </>
            )
          }
        </Loaded>
        <p class="muted">
          <a href={href(Places.elsewhere(repository))}>Tests that have run on other branches only</a> ·{" "}
          <a href={href(Places.slower(repository))}>What became slower</a>
        </p>
      </Section>
    </>
  )
}
