/** The keys of the server: their list, a form for a new one, and the end of an old one. */
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
import { useQuery } from "../../../Router.ts"
import { Pager } from "../../../ui/Pager.tsx"
import { NewKey } from "./NewKey.tsx"

type Key = Wire.ApplicationKey

const refreshKeys = () => refresh("/v1/application-keys")

const Row = ({ of, onRevoke }: { readonly of: Key; readonly onRevoke: (key: Key) => void }) => (
  <tr>
    <th scope="row">{of.name}</th>
    <td>{of.scope}</td>
    <td>{of.owner ?? "all owners"}</td>
    <td data-label="created">
      <Time at={of.created_at} />
    </td>
    <td>
      {of.revoked_at === null ? (
        <button type="button" class="button" aria-label={`Revoke ${of.name}`} onClick={() => onRevoke(of)}>
          Revoke
        </button>
      ) : (
        <span class="muted">
          revoked <Time at={of.revoked_at} />
        </span>
      )}
    </td>
  </tr>
)

const Revoke = ({ of, onClose }: { readonly of: Key; readonly onClose: () => void }) => {
  const revoke = async (): Promise<Fetch.Failure | null> => {
    const answer = await Fetch.send("DELETE", Routes.revokeApplicationKey(of.id))
    if (Fetch.isFailure(answer)) return answer
    await refreshKeys()
    return null
  }
  return (
    <Dialog title={`Revoke ${of.name}`} action="Revoke" isDangerous onConfirm={revoke} onClose={onClose}>
      <p>Requests with this key are refused at once. A revoked key stays revoked.</p>
    </Dialog>
  )
}

export const Keys = ({ owner }: { readonly owner: string | null }) => {
  const cursor = useQuery().get("cursor")
  const found = useResource(Routes.applicationKeys({ per_page: 50, cursor }))
  const [revoked, setRevoked] = useState<Key | null>(null)
  return (
    <Section
      title="Application keys"
      hint="CI jobs upload with a key of scope upload. A secret is shown once, when its key is created."
    >
      <NewKey owner={owner} onCreated={refreshKeys} />
      <Loaded of={found} lines={4}>
        {(page, { cursors }) => (
          <>
            <Table label="List of keys" columns={["Name", "Scope", "Reaches", "Created"]} hasActions stacks>
              {page.application_keys.map((key) => (
                <Row key={key.id} of={key} onRevoke={setRevoked} />
              ))}
            </Table>
            <Pager cursors={cursors} />
          </>
        )}
      </Loaded>
      {revoked === null ? null : <Revoke of={revoked} onClose={() => setRevoked(null)} />}
    </Section>
  )
}
