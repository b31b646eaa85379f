/** Questions about a cause: who owns it, whether it is silenced or closed, and whether its tests go into quarantine. */
import { useState } from "preact/hooks"
import type { Wire } from "@lazaret/api"
import * as Fetch from "../../data/Fetch.ts"
import * as Routes from "../../data/Routes.ts"
import type * as Places from "../../Places.ts"
import { Prose } from "../../ui/Prose.tsx"
import { Dialog } from "../../ui/Dialog.tsx"

/** The question that is asked about a cause. */
export interface Question {
  readonly name: "own" | "silence" | "close" | "quarantine"
  readonly cause: Wire.SharedCause
}

interface Props {
  readonly question: Question
  readonly repository: Places.Repository
  readonly onClose: () => void
  /** Called after the change, to load the data again. */
  readonly onDone: () => Promise<void>
}

const week = 7 * 86_400_000

const textOrNull = (text: string): string | null => (text.trim() === "" ? null : text.trim())

export const CauseDialog = ({ onClose, onDone, question: { cause, name }, repository }: Props) => {
  const [owner, setOwner] = useState(cause.owner ?? "")
  const [ticket, setTicket] = useState(cause.ticket ?? "")
  const done = async (sent: Promise<Fetch.Answer<unknown> | Fetch.Failure>): Promise<Fetch.Failure | null> => {
    const answer = await sent
    if (Fetch.isFailure(answer)) return answer
    await onDone()
    return null
  }
  const change = (body: object) => done(Fetch.send("PATCH", Routes.changeCause(repository, cause.id), body))
  if (name === "own") {
    return (
      <Dialog
        title="Own a cause"
        action="Save"
        onConfirm={() => change({ owner: textOrNull(owner), ticket: textOrNull(ticket) })}
        onClose={onClose}
      >
        <p>
          <Prose text={cause.name} />
        </p>
        <div class="field">
          <label for="cause-owner">Owner, such as @acme/net</label>
          <input
            id="cause-owner"
            value={owner}
            maxLength={500}
            onInput={(event) => setOwner(event.currentTarget.value)}
          />
        </div>
        <div class="field">
          <label for="cause-ticket">Ticket, such as a link</label>
          <input
            id="cause-ticket"
            value={ticket}
            maxLength={500}
            onInput={(event) => setTicket(event.currentTarget.value)}
          />
        </div>
      </Dialog>
    )
  }
  if (name === "silence") {
    const isSilent = cause.silenced_until !== null
    const until = isSilent ? null : new Date(Date.now() + week).toISOString()
    return (
      <Dialog
        title={isSilent ? "End the silence" : "Silence for a week"}
        action={isSilent ? "End silence" : "Silence"}
        onConfirm={() => change({ silenced_until: until })}
        onClose={onClose}
      >
        <p>
          <Prose text={cause.name} />
        </p>
      </Dialog>
    )
  }
  if (name === "close") {
    const isClosed = cause.closed_at !== null
    return (
      <Dialog
        title={isClosed ? "Reopen a cause" : "Close a cause"}
        action={isClosed ? "Reopen" : "Close"}
        onConfirm={() => change({ closed: !isClosed })}
        onClose={onClose}
      >
        <p>
          <Prose text={cause.name} />
        </p>
        <p class="muted">A closed cause that fails again is open again.</p>
      </Dialog>
    )
  }
  return (
    <Dialog
      title="Put the tests of a cause into quarantine"
      action="Quarantine"
      onConfirm={() => done(Fetch.send("POST", Routes.quarantineCause(repository, cause.id), {}))}
      onClose={onClose}
    >
      <p>
        <Prose text={cause.name} />
      </p>
      <p class="muted">
        Its tests, those that fail most often first, are quarantined on every branch: they still run and are still
        judged, but their failures do not fail a build.
      </p>
    </Dialog>
  )
}
