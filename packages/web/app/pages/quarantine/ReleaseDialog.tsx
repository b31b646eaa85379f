/** Takes tests out of quarantine, one or many; what did not succeed stays in the question. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Bulk from "../../data/Bulk.ts"
import * as Fetch from "../../data/Fetch.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { TestName } from "../../ui/TestName.tsx"
import { Failures } from "./Failures.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly rows: ReadonlyArray<Wire.QuarantinedTest>
  readonly onDone: () => Promise<void>
  readonly onClose: () => void
}

const mostNames = 8

export const ReleaseDialog = ({ onClose, onDone, repository, rows: wanted }: Props) => {
  const [rows, setRows] = useState(wanted)
  const [failed, setFailed] = useState<ReadonlyArray<Bulk.Failed<string>>>([])
  const unrecovered = rows.filter((row) => !row.is_recovered).length

  const release = async (): Promise<Fetch.Failure | null> => {
    const results = await Bulk.forEach(rows, async (row) => {
      const answer = await Fetch.send("DELETE", Routes.deleteQuarantine(repository, row.id))
      // Somebody else has released it already: treat it as success.
      return Fetch.isFailure(answer) && answer.status === 404 ? { body: null, cursors: {} } : answer
    })
    setRows(results.map(({ item }) => item))
    setFailed(results.map(({ failure, item }) => ({ item: item.test_name, failure })))
    await onDone()
    const first = results[0]
    if (first === undefined) return null
    if (wanted.length === 1) return first.failure
    return {
      status: first.failure.status,
      title: `${Format.number(results.length)} of ${Format.number(rows.length)} are still in quarantine`,
      detail: "The others are released. Try again, or cancel and leave them."
    }
  }

  const title = rows.length === 1 ? "Release from quarantine" : `Release ${Format.number(rows.length)} tests`
  return (
    <Dialog title={title} action="Release" onConfirm={release} onClose={onClose}>
      {failed.length > 0 ? (
        <Failures of={failed} />
      ) : (
        <ul class="name-list">
          {rows.slice(0, mostNames).map((row) => (
            <li key={row.id}>
              <TestName name={row.test_name} />
              <span class="muted">{row.branch ?? "all branches"}</span>
            </li>
          ))}
          {rows.length > mostNames ? <li class="muted">and {Format.number(rows.length - mostNames)} more</li> : null}
        </ul>
      )}
      <p class="muted">
        From now on {rows.length === 1 ? "its" : "their"} failures fail builds again.
        {unrecovered === 0
          ? ""
          : rows.length === 1
            ? " It has not recovered yet."
            : ` ${Format.number(unrecovered)} of them ${unrecovered === 1 ? "has" : "have"} not recovered yet.`}
      </p>
    </Dialog>
  )
}
