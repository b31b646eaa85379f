/** The rows of a table of costs, each with a bar for its share. */
import type { Wire } from "@lazaret/api"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { Prose } from "../../ui/Prose.tsx"
import { Table } from "../../ui/Table.tsx"
import { TestName } from "../../ui/TestName.tsx"

type Row = Wire.CostRow

interface Props {
  readonly rows: ReadonlyArray<Row>
  readonly by: Wire.CostsPage["by"]
  readonly isPriced: boolean
  readonly repository: Places.Repository
}

const minutes = (value: number): string => Format.duration(value * 60)

const Name = ({ by, of, repository }: Pick<Props, "by" | "repository"> & { readonly of: Row }) => {
  if (of.week !== null) return <>{Format.dayUtc(Date.parse(of.week))}</>
  if (of.name === null) return <span class="muted">{by === "owner" ? "no owner" : "other tests"}</span>
  if (of.test_id !== null) {
    return (
      <a href={href(Places.test(repository, of.test_id))}>
        <TestName name={of.name} />
      </a>
    )
  }
  if (of.cause_id === null) return <>{of.name}</>
  return (
    <a href={href(Places.causes(repository, { cause: of.cause_id }))}>
      <Prose text={of.name} />
    </a>
  )
}

const keyOf = ({ cause_id, name, test_id, week }: Row): string => week ?? cause_id ?? test_id ?? name ?? ""

export const CostTable = ({ by, isPriced, repository, rows }: Props) => (
  <Table
    label={`Costs by ${by}`}
    stacks
    columns={["Share", Format.capitalized(by), ...(isPriced ? ["Price"] : []), "Jobs", "Waiting", "Red job runs"]}
  >
    {rows.map((row) => (
      <tr key={keyOf(row)}>
        <td data-label="Share">
          <span class="cost-share">
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect class="off" width="100" height="10" />
              <rect class="on" width={row.share * 100} height="10" />
            </svg>
            {Format.percent(row.share)}
          </span>
        </td>
        <th scope="row" class="cost-name" data-label={Format.capitalized(by)}>
          <Name by={by} of={row} repository={repository} />
        </th>
        {isPriced ? <td data-label="Price">{Format.number(row.amount)}</td> : null}
        <td data-label="Jobs">{minutes(row.machine_minutes)}</td>
        <td data-label="Waiting">{minutes(row.waiting_minutes)}</td>
        <td data-label="Red job runs">{Number(row.job_runs.toFixed(1))}</td>
      </tr>
    ))}
  </Table>
)
