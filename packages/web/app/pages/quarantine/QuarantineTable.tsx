/** The quarantines that match, to be released one or several at a time. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Format from "../../Format.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { TestName } from "../../ui/TestName.tsx"
import { Since } from "../../ui/Time.tsx"

type Row = Wire.QuarantinedTest

interface Props {
  readonly repository: Places.Repository
  readonly rows: ReadonlyArray<Row>
  readonly onRelease: (rows: ReadonlyArray<Row>) => void
}

const Line = (props: {
  readonly repository: Places.Repository
  readonly row: Row
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly onRelease: () => void
}) => {
  const { row } = props
  return (
    <tr class={props.isChosen ? "chosen" : ""}>
      <td class="cell-choice">
        <input
          type="checkbox"
          aria-label={`Select ${row.test_name}`}
          checked={props.isChosen}
          onChange={props.onChoose}
        />
      </td>
      <th scope="row" class="cell-name">
        <a class="row-link" href={href(Places.test(props.repository, row.test_id))}>
          <TestName name={row.test_name} />
        </a>
        <p class="muted reason">{row.reason}</p>
      </th>
      <td data-label="on">{row.branch ?? "all branches"}</td>
      <td data-label="by">{row.created_by === undefined ? row.source : Format.author(row.created_by)}</td>
      <td>
        <Since at={row.created_at} />
      </td>
      <td>
        {row.is_recovered ? <span class="badge healthy">recovered</span> : <span class="muted">not recovered</span>}
      </td>
      <td class="cell-action">
        <button type="button" class="button" aria-label={`Release ${row.test_name}`} onClick={props.onRelease}>
          Release
        </button>
      </td>
    </tr>
  )
}

export const QuarantineTable = ({ onRelease, repository, rows }: Props) => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  // Rows that a filter hides, and released quarantines, are no longer selected.
  const chosen = rows.filter((row) => ids.has(row.id))
  const choose = (wanted: ReadonlyArray<Row>) => setIds(new Set(wanted.map((row) => row.id)))
  const recovered = rows.filter((row) => row.is_recovered)
  const toggle = (row: Row) => choose(ids.has(row.id) ? chosen.filter(({ id }) => id !== row.id) : [...chosen, row])
  return (
    <>
      <div class="bulk">
        <label class="check">
          <input
            type="checkbox"
            checked={chosen.length === rows.length}
            indeterminate={chosen.length > 0 && chosen.length < rows.length}
            onChange={() => choose(chosen.length === rows.length ? [] : rows)}
          />
          Select all shown
        </label>
        {recovered.length === 0 ? null : (
          <button type="button" class="chip" onClick={() => choose(recovered)}>
            Select {Format.number(recovered.length)} recovered
          </button>
        )}
        <span class="bulk-end">
          <span class="muted" aria-live="polite">
            {chosen.length === 0 ? "None selected" : `${Format.number(chosen.length)} selected`}
          </span>
          <button type="button" class="button" disabled={chosen.length === 0} onClick={() => onRelease(chosen)}>
            Release selected
          </button>
        </span>
      </div>
      <div class="table-wrap">
        <table class="tests quarantines" aria-label="Quarantines">
          <thead>
            <tr>
              <th>
                <span class="visually-hidden">Selected</span>
              </th>
              <th>Test and reason</th>
              <th>Branch</th>
              <th>By</th>
              <th>Since</th>
              <th>State</th>
              <th>
                <span class="visually-hidden">Release</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Line
                key={row.id}
                repository={repository}
                row={row}
                isChosen={ids.has(row.id)}
                onChoose={() => toggle(row)}
                onRelease={() => onRelease([row])}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
