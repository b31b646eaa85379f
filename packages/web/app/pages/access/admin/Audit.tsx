/** The audit log: administrative actions, newest first. */
import type { Wire } from "@lazaret/api"
import { base } from "../../../Base.ts"
import { useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import { useQuery } from "../../../Router.ts"
import { Pager } from "../../../ui/Pager.tsx"
import { Section } from "../../../ui/Section.tsx"
import { Empty, Loaded } from "../../../ui/States.tsx"
import { Table } from "../../../ui/Table.tsx"
import { Time } from "../../../ui/Time.tsx"

type Entry = Wire.AuditEntry

const placeOf = ({ owner, repository }: Entry): string =>
  repository === null ? (owner ?? "the server") : `${owner}/${repository}`

/** `createApplicationKey` → "create application key", `expires_at` → "expires at". */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll(/[._]/gu, " ")
    .trim()

const textOf = (value: unknown): string => {
  if (value === null) return "none"
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(textOf).join(", ")
  if (typeof value !== "object") return String(value)
  return Object.entries(value)
    .map(([name, each]) => `${wordsOf(name)}: ${textOf(each)}`)
    .join("; ")
}

const Fields = ({ of }: { readonly of: Entry["target"] }) => (
  <dl class="audit-fields">
    {Object.entries(of).map(([name, value]) => (
      <div key={name}>
        <dt>{wordsOf(name)}</dt>
        <dd>{textOf(value)}</dd>
      </div>
    ))}
  </dl>
)

const Values = ({ title, of }: { readonly title: string; readonly of: Entry["before"] }) =>
  of === null ? null : (
    <>
      <span class="muted">{title}</span>
      <Fields of={of} />
    </>
  )

const Row = ({ of }: { readonly of: Entry }) => (
  <tr>
    <td>
      <Time at={of.at} />
    </td>
    <th scope="row">
      {of.actor.name}
      {of.address === null ? null : <div class="muted">{of.address}</div>}
    </th>
    <td>
      {wordsOf(of.action)}
      {of.outcome === "done" ? null : <div class="form-failure">{of.outcome}</div>}
    </td>
    <td>{placeOf(of)}</td>
    <td>
      <Fields of={of.target} />
      <Values title="before" of={of.before} />
      <Values title="after" of={of.after} />
    </td>
  </tr>
)

export const Audit = () => {
  const cursor = useQuery().get("audit")
  const found = useResource(Routes.audit({ per_page: 20, cursor }))
  return (
    <Section title="Audit log" hint="Administrative actions, the newest first.">
      <p>
        <a class="button" href={`${base}${Routes.auditExport.slice(1)}`} download="audit.ndjson">
          Export all as NDJSON
        </a>
      </p>
      <Loaded of={found} lines={4}>
        {(page, { cursors }) =>
          page.entries.length === 0 ? (
            <Empty title="There is no entry yet">Changes of keys, settings, quarantines and queues appear here.</Empty>
          ) : (
            <>
              <Table label="List of entries" columns={["At", "By", "Action", "In", "Values"]} stacks>
                {page.entries.map((entry) => (
                  <Row key={entry.id} of={entry} />
                ))}
              </Table>
              <Pager cursors={cursors} name="audit" />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}
