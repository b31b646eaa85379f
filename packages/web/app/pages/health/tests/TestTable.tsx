/** The list of tests as a table; narrow screens show each row as a card. */
import type { Wire } from "@lazaret/api"
import { useLazyResource } from "../../../data/Lazily.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import * as Owners from "../../../Owners.ts"
import * as Places from "../../../Places.ts"
import { changeQuery, href, useQuery } from "../../../Router.ts"
import { HealthBadge, isInRow } from "../../../ui/Health.tsx"
import { Outcomes } from "../../../ui/Outcomes.tsx"
import { TestName } from "../../../ui/TestName.tsx"
import { Since, Time } from "../../../ui/Time.tsx"
import * as Filters from "./Filters.ts"

type Test = Wire.ListedTest

interface Props {
  readonly repository: Places.Repository
}

const columns: ReadonlyArray<readonly [Filters.Sort | null, string]> = [
  ["test_name", "Test"],
  ["attention", "Health"],
  ["failure_ratio", "Failure rate"],
  ["executions_count", "Runs"],
  ["last_failure_at", "Last failure"],
  ["mean_duration", "Duration"],
  ["first_seen_at", "First seen"],
  [null, "Latest runs"]
]

const numbers: ReadonlySet<string> = new Set(["failure_ratio", "executions_count", "mean_duration"])

const ownersOf = (test: Test): string => Owners.namesOf(test).map(Owners.wordsOf).join(" ")

const Head = ({ isOwned }: { readonly isOwned: boolean }) => {
  const { direction, sort } = Filters.sortOf(useQuery())
  return (
    <thead>
      <tr>
        {[...columns, ...(isOwned ? [[null, "Owner"] as const] : [])].map(([name, label]) => {
          if (name === null) return <th key={label}>{label}</th>
          const isSorted = sort === name
          const next = isSorted && direction === "desc" ? "asc" : isSorted ? "desc" : undefined
          return (
            <th
              key={label}
              class={numbers.has(name) ? "number" : ""}
              aria-sort={isSorted ? (direction === "asc" ? "ascending" : "descending") : "none"}
            >
              <button
                type="button"
                class="sort-button"
                title={`Sort by ${label.toLowerCase()}`}
                onClick={() => changeQuery(Filters.orderOf(name, next))}
              >
                {label}
                <span class={isSorted ? "sorted" : "sortable"} aria-hidden="true">
                  {isSorted ? (direction === "asc" ? "↑" : "↓") : "↕"}
                </span>
              </button>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

const Latest = ({ repository, test }: Props & { readonly test: Test }) => {
  const { element, resource } = useLazyResource(Routes.explain(repository, test.test_id))
  const identity =
    resource.status === "ready"
      ? resource.answer.body.identities.find(
          (each) => each.pipeline_name === test.pipeline_name && each.job_name === test.job_name
        )
      : undefined
  return (
    <span ref={element} class="outcomes-slot">
      {identity === undefined ? null : <Outcomes of={identity.recent} repository={repository} />}
    </span>
  )
}

const Row = ({ isOwned, repository, test }: Props & { readonly test: Test; readonly isOwned: boolean }) => (
  <tr>
    <th scope="row" class="cell-name">
      <a class="row-link" data-row="true" href={href(Places.test(repository, test.test_id))}>
        <TestName name={test.test_name} />
      </a>
      {test.is_quarantined ? <span class="badge plain">quarantined</span> : null}
      <span class="muted where-it-runs">
        {test.pipeline_name} · {test.job_name}
      </span>
    </th>
    <td class="cell-health">
      <HealthBadge status={test.health_status} />
      {test.health_status === "healthy" || test.since === null ? null : (
        <span class="muted since">
          <Since at={test.since} />
        </span>
      )}
    </td>
    <td class="cell-rate number" data-label={isInRow(test) ? "failed" : "fails in"}>
      {isInRow(test) ? (
        <span title="failures since its last pass">{Format.number(test.failures_in_a_row)} in a row</span>
      ) : test.failed_count === 0 ? (
        <span class="muted">0 %</span>
      ) : (
        <span title={`${Format.number(test.failed_count)} of its runs in 30 days failed`}>
          {Format.percent(test.failure_ratio)}
        </span>
      )}
    </td>
    <td class="cell-runs number" data-label="runs">
      {Format.number(test.executions_count)}
    </td>
    <td class="cell-last" data-label="last failed">
      {test.last_failure_at === null ? <span class="muted">never</span> : <Time at={test.last_failure_at} />}
    </td>
    <td class="cell-duration number" data-label="takes">
      {test.mean_duration === null ? <span class="muted">–</span> : Format.duration(test.mean_duration)}
    </td>
    <td class="cell-first" data-label="first seen">
      {test.first_seen_at === null ? <span class="muted">–</span> : <Time at={test.first_seen_at} />}
    </td>
    <td class="cell-outcomes">
      <Latest repository={repository} test={test} />
    </td>
    {isOwned ? (
      <td class="cell-owner" data-label="owner">
        {test.owners.length > 0 ? ownersOf(test) : <span class="muted">{ownersOf(test)}</span>}
      </td>
    ) : null}
  </tr>
)

/** Without an owner of any of them, the tests have no column of owners. */
export const TestTable = ({ repository, tests }: Props & { readonly tests: ReadonlyArray<Test> }) => {
  const isOwned = tests.some(({ owners }) => owners.length > 0)
  return (
    <div class="table-wrap">
      <table class="tests">
        <Head isOwned={isOwned} />
        <tbody>
          {tests.map((test) => (
            <Row
              key={`${test.test_id} ${test.pipeline_name} ${test.job_name}`}
              test={test}
              repository={repository}
              isOwned={isOwned}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The table before its rows are known: rows of the same height, so that nothing moves when they come. */
export const TableSkeleton = ({ rows }: { readonly rows: number }) => (
  <div class="table-wrap" role="status">
    <span class="visually-hidden">Loading…</span>
    <table class="tests skeleton" aria-hidden="true">
      <tbody>
        {Array.from({ length: rows }, (_, index) => (
          <tr key={index}>
            <td>
              <span class="line" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
