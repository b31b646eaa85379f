/** The browsers that are signed in. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Fetch from "../../../data/Fetch.ts"
import { refresh, useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Section } from "../../../ui/Section.tsx"
import { Loaded } from "../../../ui/States.tsx"
import { Table } from "../../../ui/Table.tsx"
import { Time } from "../../../ui/Time.tsx"

type Open = Wire.Session

const Row = ({ of, onEnd }: { readonly of: Open; readonly onEnd: (session: Open) => void }) => (
  <tr>
    <th scope="row">
      {of.name}
      {of.is_current ? <span class="muted"> (this browser)</span> : null}
    </th>
    <td>{of.agent ?? ""}</td>
    <td>{of.address ?? ""}</td>
    <td data-label="began">
      <Time at={of.created_at} />
    </td>
    <td data-label="seen">
      <Time at={of.seen_at} />
    </td>
    <td>
      {of.is_current ? null : (
        <button type="button" class="button" aria-label={`Sign out ${of.name}`} onClick={() => onEnd(of)}>
          Sign out
        </button>
      )}
    </td>
  </tr>
)

const End = ({ of, onClose }: { readonly of: Open; readonly onClose: () => void }) => {
  const end = async (): Promise<Fetch.Failure | null> => {
    const answer = await Fetch.send("DELETE", Routes.revokeSession(of.id))
    if (Fetch.isFailure(answer)) return answer
    await refresh(Routes.sessions)
    return null
  }
  return (
    <Dialog title={`Sign ${of.name} out`} action="Sign out" isDangerous onConfirm={end} onClose={onClose}>
      <p>The browser is signed out at once. It can sign in again.</p>
    </Dialog>
  )
}

export const Sessions = () => {
  const found = useResource(Routes.sessions)
  const [ended, setEnded] = useState<Open | null>(null)
  return (
    <Section title="Sessions" hint="The browsers that are signed in.">
      <Loaded of={found} lines={3}>
        {({ sessions }) => (
          <Table label="List of sessions" columns={["Name", "Browser", "Address", "Began", "Seen"]} hasActions stacks>
            {sessions.map((session) => (
              <Row key={session.id} of={session} onEnd={setEnded} />
            ))}
          </Table>
        )}
      </Loaded>
      {ended === null ? null : <End of={ended} onClose={() => setEnded(null)} />}
    </Section>
  )
}
