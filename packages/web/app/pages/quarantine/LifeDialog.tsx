/** Changes until when a quarantine holds, in which runs, who looks after it, and its ticket. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Fetch from "../../data/Fetch.ts"
import * as Routes from "../../data/Routes.ts"
import type * as Places from "../../Places.ts"
import { Dialog } from "../../ui/Dialog.tsx"
import { TestName } from "../../ui/TestName.tsx"

interface Props {
  readonly repository: Places.Repository
  readonly item: Wire.QuarantineDebt["quarantines"][number]
  readonly onDone: () => Promise<void>
  readonly onClose: () => void
}

const emptyIsNull = (text: string): string | null => (text.trim() === "" ? null : text.trim())

export const LifeDialog = ({ item, onClose, onDone, repository }: Props) => {
  const before = (item.expires_at ?? "").slice(0, 10)
  const [day, setDay] = useState(before)
  const [owner, setOwner] = useState(item.owner ?? "")
  const [ticket, setTicket] = useState(item.ticket ?? "")
  const [isOfQueue, setIsOfQueue] = useState(item.scope === "merge_queue")

  const send = async (): Promise<Fetch.Failure | null> => {
    // What nobody has touched is not sent: somebody else may change it meanwhile.
    const scope = isOfQueue ? "merge_queue" : "every_run"
    const answer = await Fetch.send("PATCH", Routes.quarantineLife(repository, item.id), {
      ...(day === before ? {} : { expires_at: day === "" ? null : `${day}T00:00:00Z` }),
      ...(emptyIsNull(owner) === item.owner ? {} : { owner: emptyIsNull(owner) }),
      ...(emptyIsNull(ticket) === item.ticket ? {} : { ticket: emptyIsNull(ticket) }),
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
      <div class="field">
        <label for="life-day">Ends on (UTC); empty: never by itself</label>
        <input id="life-day" type="date" value={day} onInput={(event) => setDay(event.currentTarget.value)} />
      </div>
      <div class="field">
        <label for="life-owner">Owner</label>
        <input
          id="life-owner"
          maxLength={255}
          placeholder="the owners of its file"
          value={owner}
          onInput={(event) => setOwner(event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="life-ticket">Ticket</label>
        <input
          id="life-ticket"
          type="url"
          maxLength={2000}
          placeholder="https://…"
          value={ticket}
          onInput={(event) => setTicket(event.currentTarget.value)}
        />
      </div>
      <label class="check">
        <input type="checkbox" checked={isOfQueue} onChange={(event) => setIsOfQueue(event.currentTarget.checked)} />
        Only in runs of a merge queue
      </label>
    </Dialog>
  )
}
