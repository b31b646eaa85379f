/** The repositories that the key reaches. */
import type { Wire } from "@lazaret/api"
import { useEffect } from "preact/hooks"
import { useResource } from "../data/Resource.ts"
import * as Routes from "../data/Routes.ts"
import * as Places from "../Places.ts"
import { href, navigate, useQuery } from "../Router.ts"
import { Pager } from "../ui/Pager.tsx"
import { PageTitle, Section } from "../ui/Section.tsx"
import { Empty, Loaded } from "../ui/States.tsx"
import { Since } from "../ui/Time.tsx"

const Row = ({ of: each }: { readonly of: Wire.RepositoriesPage["repositories"][number] }) => (
  <li>
    <a class="row-link" href={href(Places.overview(each))}>
      <span class="muted">{each.owner} /</span> {each.repository}
    </a>
    <span class="muted">
      <Since at={each.created_at} />
    </span>
  </li>
)

const Nothing = () => (
  <Empty title="No repository has sent a report yet">
    <p>Try an invented history, or send a report of your own:</p>
    <pre>lazaret demo{"\n"}lazaret ingest --repo owner/repository --pipeline CI --job unit reports/junit.xml</pre>
  </Empty>
)

export const RepositoriesPage = () => {
  const query = useQuery()
  const found = useResource(Routes.repositories({ per_page: 50, cursor: query.get("cursor") }))
  // A user with one repository is forwarded to it, unless the link asks for all of them.
  const isOnly = found.status === "ready" && found.answer.body.total === 1 && !query.has("all")
  const only = isOnly ? found.answer.body.repositories[0] : undefined
  useEffect(() => {
    if (only !== undefined) navigate(Places.overview(only), { replace: true })
  }, [only])
  return (
    <>
      <PageTitle>Repositories</PageTitle>
      <Section title="With test reports">
        <Loaded of={found}>
          {({ repositories }, { cursors }) =>
            repositories.length === 0 ? (
              <Nothing />
            ) : (
              <>
                <ul class="rows">
                  {repositories.map((each) => (
                    <Row key={`${each.owner}/${each.repository}`} of={each} />
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
