/** The job runs of the default branch in which many tests failed at once that had passed before. */
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"
import { useQuery } from "../../Router.ts"
import { keyOf, OutageRow } from "../../ui/Outage.tsx"
import { Pager } from "../../ui/Pager.tsx"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"

const advice =
  "Run the failed jobs again. Tests that still fail on the third commit count as broken: look for the change that broke them."

export const OutagesPage = ({ repository }: { readonly repository: Places.Repository }) => {
  const found = useResource(Routes.outages(repository, { cursor: useQuery().get("cursor"), per_page: 25 }))
  const total = found.status === "ready" ? found.answer.body.total : 0
  const title = found.status === "ready" ? Format.plural(total, "outage") : "Outages"
  return (
    <>
      <PageTitle>Outages</PageTitle>
      <Section
        title={title}
        aside="Many tests failed at once that had passed before; failures of the first two commits do not count in health"
        hint={total === 0 ? undefined : advice}
      >
        <Loaded of={found} lines={6}>
          {(page, { cursors }) =>
            page.outages.length === 0 ? (
              <Empty title="No outage">No job run of the default branch had many failures at once.</Empty>
            ) : (
              <>
                <ul class="rows">
                  {page.outages.map((each) => (
                    <OutageRow key={keyOf(each)} of={each} repository={repository} />
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
