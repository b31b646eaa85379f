/** Changes until when a quarantine holds, in which runs, who looks after it, and its ticket. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Fetch from "../../data/Fetch.ts"
import * as Routes from "../../data/Routes.ts"
import type * as Places from "../../Places.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { instantOf, LifeFields, textOf } from "../../ui/LifeFields.tsx"
import { TestName } from "../../ui/TestName.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly item: Wire.QuarantineDebt["quarantines"][number]
  readonly onDone: () => Promise<void>
  readonly onClose: () => void
}

export const LifeDialog = ({ item, onClose, onDone, repository }: Props) => {
  const before = (item.expires_at ?? "").slice(0, 10)
  const [life, setLife] = useState({ day: before, owner: item.owner ?? "", ticket: item.ticket ?? "" })
  const [isOfQueue, setIsOfQueue] = useState(item.scope === "merge_queue")

  const send = async (): Promise<Fetch.Failure | null> => {
    // Send only changed fields: another user may change the others meanwhile.
    const scope = isOfQueue ? "merge_queue" : "every_run"
    const answer = await Fetch.send("PATCH", Routes.quarantineLife(repository, item.id), {
      ...(life.day === before ? {} : { expires_at: instantOf(life.day) }),
      ...(textOf(life.owner) === item.owner ? {} : { owner: textOf(life.owner) }),
      ...(textOf(life.ticket) === item.ticket ? {} : { ticket: textOf(life.ticket) }),
      ...(scope === item.scope ? {} : { scope })
    })
    if (Fetch.isFailure(answer)) return answer
    await onDone()
    return null
  }

  return (
    <Dialog title="Change a quarantine" action="Change" onConfirm={send} onClose={onClose}>
      <p>
        <TestName name={item.test_name} />
      </p>
      <LifeFields life={life} withoutEnd="never by itself" onChange={setLife} />
      <label class="check">
        <input type="checkbox" checked={isOfQueue} onChange={(event) => setIsOfQueue(event.currentTarget.checked)} />
        Only in runs of a merge queue
      </label>
    </Dialog>
  )
}
