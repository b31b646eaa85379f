/** The cost of quarantines: their owners and ages, the runs that they would have blocked, and the failures that they hid. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import { refresh, useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { Section } from "../../ui/Section.tsx"
import { Loaded } from "../../ui/States.tsx"
import { TestName } from "../../ui/TestName.tsx"
import { LifeDialog } from "./LifeDialog.tsx"

interface Props {
  readonly repository: Places.Repository
}

type Item = Wire.QuarantineDebt["quarantines"][number]

const Owners = ({ debt }: { readonly debt: Wire.QuarantineDebt }) => (
  <ul class="chips" aria-label="Quarantines by owner">
    {debt.owners.map((each) => (
      <li key={each.owner ?? ""}>
        <span class="badge plain">
          {each.owner ?? "no owner"}: {Format.plural(each.quarantines, "quarantine")},{" "}
          {Format.plural(each.blocked_runs, "blocked run")}
        </span>
      </li>
    ))}
  </ul>
)

const Line = ({ item, onChange, repository }: Props & { readonly item: Item; readonly onChange: () => void }) => (
  <tr>
    <th scope="row" class="cell-name">
      <a class="row-link" href={href(Places.test(repository, item.test_id))}>
        <TestName name={item.test_name} />
      </a>
      {item.latest_failure === null ? null : <p class="muted reason">New since then: {item.latest_failure}</p>}
    </th>
    <td class="cell-owner" data-label="owner">
      {item.owners.length === 0 ? "no owner" : item.owners.join(", ")}
    </td>
    <td data-label="age">{Format.plural(item.age_days, "day")}</td>
    <td data-label="blocked">{Format.plural(item.blocked_runs, "run")}</td>
    <td data-label="new failures">{Format.number(item.new_failures)}</td>
    <td data-label="ends">{item.expires_at === null ? "never" : item.expires_at.slice(0, 10)}</td>
    <td>
      {item.ticket === null ? <span class="muted">no ticket</span> : <a href={item.ticket}>ticket</a>}
      {item.scope === "merge_queue" ? <span class="muted"> merge queue only</span> : null}
    </td>
    <td class="cell-action">
      <button type="button" class="button" aria-label={`Change ${item.test_name}`} onClick={onChange}>
        Change
      </button>
    </td>
  </tr>
)

export const Debt = ({ repository }: Props) => {
  const resource = useResource(Routes.quarantineDebt(repository))
  const [changed, setChanged] = useState<Item | null>(null)
  if (resource.status === "ready" && resource.answer.body.total === 0) return null
  const done = async () => {
    await refresh(`${Routes.ci(repository)}/quarantine`)
  }
  return (
    <Section title="What it costs" aside="runs of the default branch, last 30 days">
      <Loaded of={resource} lines={4}>
        {(debt) => (
          <>
            <Owners debt={debt} />
            <div class="table-wrap">
              <table class="tests quarantines" aria-label="Cost of quarantines">
                <thead>
                  <tr>
                    <th>Test</th>
                    <th>Owner</th>
                    <th>Age</th>
                    <th>Would have blocked</th>
                    <th>New failures</th>
                    <th>Ends</th>
                    <th>Ticket</th>
                    <th>
                      <span class="visually-hidden">Change</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {debt.quarantines.map((item) => (
                    <Line key={item.id} item={item} repository={repository} onChange={() => setChanged(item)} />
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
      </Loaded>
      {changed === null ? null : (
        <LifeDialog repository={repository} item={changed} onDone={done} onClose={() => setChanged(null)} />
      )}
    </Section>
  )
}
