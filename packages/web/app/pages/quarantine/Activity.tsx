/** The latest beginnings and ends of quarantines, by whom, and the facts of the automation. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { changeQuery, href, useQuery } from "../../Router.ts"
import { Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { TestName } from "../../ui/TestName.tsx"
import { Time } from "../../ui/Time.tsx"

interface Props {
  readonly repository: Places.Repository
}

const most = 20

const isAutomatic = (event: Wire.Event): boolean => event.actor === "auto"

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u

const shownValue = (value: unknown): string => {
  if (typeof value === "number") return Format.number(value)
  if (typeof value === "string") return instant.test(value) ? Format.at(Date.parse(value)) : value
  return JSON.stringify(value)
}

const Evidence = ({ of: evidence }: { readonly of: object }) => (
  <details class="evidence">
    <summary>Evidence</summary>
    <dl>
      {Object.entries(evidence).map(([name, value]) => (
        <div key={name}>
          <dt>{name.replaceAll("_", " ")}</dt>
          <dd>{shownValue(value)}</dd>
        </div>
      ))}
    </dl>
  </details>
)

const verbs: { readonly [type: string]: string } = {
  "quarantine.created": "Quarantined",
  "quarantine.expired": "Ended"
}

const Line = ({ event, repository }: Props & { readonly event: Wire.Event }) => {
  const { evidence, reason } = event.detail
  const verb = verbs[event.type] ?? "Released"
  return (
    <li>
      <span class="row-main">
        <span>
          <strong>{verb}</strong> {isAutomatic(event) ? "automatically" : "by hand"} on {event.branch ?? "all branches"}
        </span>
        {event.test_id === null ? null : (
          <a class="row-link" href={href(Places.test(repository, event.test_id))}>
            <TestName name={event.test_name ?? ""} />
          </a>
        )}
        {typeof reason === "string" && verb === "Quarantined" ? <span class="muted reason">{reason}</span> : null}
        {typeof evidence === "object" && evidence !== null ? <Evidence of={evidence} /> : null}
      </span>
      <span class="muted">
        <Time at={event.at} />
      </span>
    </li>
  )
}

const Lines = ({ events, repository }: Props & { readonly events: ReadonlyArray<Wire.Event> }) => {
  const isNarrowed = useQuery().get("activity") === "auto"
  const shown = isNarrowed ? events.filter(isAutomatic) : events
  if (shown.length === 0) {
    return isNarrowed ? (
      <Empty title="The automation has done nothing lately">It acts after uploads, when it is on.</Empty>
    ) : (
      <Empty title="Nothing has happened yet">Every quarantine that begins or ends appears here.</Empty>
    )
  }
  return (
    <ul class="rows">
      {shown.slice(0, most).map((event) => (
        <Line key={event.id} event={event} repository={repository} />
      ))}
    </ul>
  )
}

/** The events that the list is made from: those that began and those that ended a quarantine. */
export const activityOf = (repository: Places.Repository) => {
  const ask = (type: string) => Routes.events(repository, { type, per_page: 50 })
  return [ask("quarantine.created"), ask("quarantine.removed"), ask("quarantine.expired")] as const
}

export const Activity = ({ repository }: Props) => {
  const query = useQuery()
  const [createdOf, removedOf, expiredOf] = activityOf(repository)
  const created = useResource(createdOf)
  const removed = useResource(removedOf)
  const expired = useResource(expiredOf)
  return (
    <Section
      title="What happened lately"
      aside={
        <label class="check">
          <input
            type="checkbox"
            checked={query.get("activity") === "auto"}
            onChange={(event) => changeQuery({ activity: event.currentTarget.checked ? "auto" : null })}
          />
          Only the automation
        </label>
      }
    >
      <Loaded of={created} lines={4}>
        {(begun) => (
          <Loaded of={removed} lines={4}>
            {(ended) => (
              <Loaded of={expired} lines={4}>
                {(past) => (
                  <Lines
                    repository={repository}
                    events={[...begun.events, ...ended.events, ...past.events].toSorted(
                      (a, b) => Date.parse(b.at) - Date.parse(a.at)
                    )}
                  />
                )}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </Section>
  )
}
