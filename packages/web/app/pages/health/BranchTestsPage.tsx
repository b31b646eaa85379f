/** The tests that have run on other branches only: they have no health yet. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { href, useQuery } from "../../Router.ts"
import { Pager } from "../../ui/Pager.tsx"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { TestName } from "../../ui/TestName.tsx"
import { Time } from "../../ui/Time.tsx"

interface Of {
  readonly repository: Places.Repository
}

const outcomeOf = ({ branches, failed, passed }: Wire.BranchTest): string =>
  `failed in ${Format.number(failed)} of ${Format.plural(failed + passed, "job run")} on ${Format.number(branches)} ${branches === 1 ? "branch" : "branches"}`

const Row = ({ of, repository }: Of & { readonly of: Wire.BranchTest }) => (
  <li>
    <span class="row-main">
      <a class="row-link" data-row="true" href={href(Places.test(repository, of.test_id))}>
        <TestName name={of.test_name} />
      </a>
      <span class="muted">
        {of.pipeline_name} · {of.job_name} · {outcomeOf(of)}, last {of.last_run.conclusion} on {of.last_run.branch}{" "}
        <Time at={of.last_run.finished_at} />
      </span>
    </span>
  </li>
)

export const BranchTestsPage = ({ repository }: Of) => {
  const query = useQuery()
  const found = useResource(Routes.branchTests(repository, { cursor: query.get("cursor"), per_page: 25 }))
  const title = found.status === "ready" ? Format.plural(found.answer.body.total, "test") : "Tests"
  return (
    <>
      <PageTitle>Tests of other branches</PageTitle>
      <Section title={title} aside="Never run on the default branch; their job runs elsewhere in 30 days">
        <Loaded of={found} lines={6}>
          {(page, { cursors }) =>
            page.tests.length === 0 ? (
              <Empty title="No such test">Every test of the last 30 days has run on the default branch.</Empty>
            ) : (
              <>
                <ul class="rows">
                  {page.tests.map((each) => (
                    <Row
                      key={`${each.test_id}\0${each.pipeline_name}\0${each.job_name}`}
                      of={each}
                      repository={repository}
                    />
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
