/** Owners of unhealthy and of quarantined tests, with the number of each. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import { wordsOf } from "../../../Owners.ts"
import * as Places from "../../../Places.ts"
import { href } from "../../../Router.ts"
import { Section } from "../../../ui/Section.tsx"

type Owned = Wire.OwnerList["owners"][number]

const columns = ["broken", "flaky", "quarantined"] as const

const queryOf = (owner: string, column: (typeof columns)[number]): Readonly<Record<string, string>> =>
  column === "quarantined" ? { owner, quarantined: "true" } : { owner, health_status: column }

const Row = ({ of: owned, repository }: { readonly of: Owned; readonly repository: Places.Repository }) => (
  <tr>
    <th scope="row" class="cell-name">
      <a href={href(Places.tests(repository, { owner: owned.owner }))}>{wordsOf(owned.owner)}</a>
    </th>
    {columns.map((column) => (
      <td key={column} class="number" data-label={column}>
        {owned[column] === 0 ? (
          <span class="muted">0</span>
        ) : (
          <a href={href(Places.tests(repository, queryOf(owned.owner, column)))}>{Format.number(owned[column])}</a>
        )}
      </td>
    ))}
    <td class="number" data-label="of tests">
      {Format.number(owned.healthy + owned.flaky + owned.broken)}
    </td>
  </tr>
)

/** The most owners that are shown: those with most unhealthy tests. */
const most = 10

export const Owners = ({ repository }: { readonly repository: Places.Repository }) => {
  const found = useResource(Routes.ownerList(repository))
  if (found.status !== "ready" || found.answer.body.source === null) return null
  const concerned = found.answer.body.owners.filter(
    ({ broken, flaky, quarantined }) => broken + flaky + quarantined > 0
  )
  if (concerned.length === 0) return null
  return (
    <Section title="Owners" hint="Of the tests of the default branch; a test with several owners counts for each.">
      <div class="table-wrap">
        <table class="tests owned">
          <thead>
            <tr>
              <th>Owner</th>
              <th class="number">Broken</th>
              <th class="number">Flaky</th>
              <th class="number">Quarantined</th>
              <th class="number">Tests</th>
            </tr>
          </thead>
          <tbody>
            {concerned.slice(0, most).map((each) => (
              <Row key={each.owner} of={each} repository={repository} />
            ))}
          </tbody>
        </table>
      </div>
      {concerned.length > most ? <p class="muted">and {Format.plural(concerned.length - most, "more owner")}</p> : null}
    </Section>
  )
}
