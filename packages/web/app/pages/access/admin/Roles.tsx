/** The roles that people were given by hand. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Fetch from "../../../data/Fetch.ts"
import { refresh, useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Section } from "../../../ui/Section.tsx"
import { Loaded } from "../../../ui/States.tsx"
import { Time } from "../../../ui/Time.tsx"
import { NewRole } from "./NewRole.tsx"

type Given = Wire.AssignedRole

const placeOf = ({ owner, repository }: Given): string =>
  owner === null ? "everywhere" : repository === null ? `all of ${owner}` : `${owner}/${repository}`

const Row = ({ of, onRemove }: { readonly of: Given; readonly onRemove: (role: Given) => void }) => (
  <tr>
    <th scope="row">
      {of.login}
      {of.person_id === null ? <span class="muted"> (has not signed in yet)</span> : null}
    </th>
    <td>{of.provider === "github" ? "GitHub" : "OpenID Connect"}</td>
    <td>{of.role}</td>
    <td>{placeOf(of)}</td>
    <td>
      <Time at={of.created_at} />
    </td>
    <td>
      <button
        type="button"
        class="button"
        aria-label={`Take away the role of ${of.login}`}
        onClick={() => onRemove(of)}
      >
        Take away
      </button>
    </td>
  </tr>
)

const Remove = ({ of, onClose }: { readonly of: Given; readonly onClose: () => void }) => {
  const remove = async (): Promise<Fetch.Failure | null> => {
    const answer = await Fetch.send("DELETE", Routes.removeRole(of.id))
    if (Fetch.isFailure(answer)) return answer
    await refresh(Routes.roles)
    return null
  }
  return (
    <Dialog
      title={`Take the role ${of.role} of ${of.login} away`}
      action="Take away"
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      <p>It ends at once, also where {of.login} is signed in. Roles from groups and permissions stay.</p>
    </Dialog>
  )
}

const List = (props: { readonly roles: ReadonlyArray<Given>; readonly onRemove: (role: Given) => void }) => (
  <div class="table-wrap" tabIndex={0} role="region" aria-label="List of roles">
    <table>
      <thead>
        <tr>
          <th scope="col">Login</th>
          <th scope="col">Signs in with</th>
          <th scope="col">Role</th>
          <th scope="col">Where</th>
          <th scope="col">Since</th>
          <th scope="col">
            <span class="visually-hidden">Action</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.roles.map((role) => (
          <Row key={role.id} of={role} onRemove={props.onRemove} />
        ))}
      </tbody>
    </table>
  </div>
)

export const Roles = ({ owner }: { readonly owner: string | null }) => {
  const found = useResource(Routes.roles)
  const [removed, setRemoved] = useState<Given | null>(null)
  return (
    <Section title="Roles" hint="Roles that were given by hand, in addition to groups and permissions.">
      <Loaded of={found} lines={3}>
        {({ roles }) =>
          roles.length === 0 ? (
            <p class="muted">No role was given by hand.</p>
          ) : (
            <List roles={roles} onRemove={setRemoved} />
          )
        }
      </Loaded>
      <NewRole owner={owner} onGiven={() => refresh(Routes.roles)} />
      {removed === null ? null : <Remove of={removed} onClose={() => setRemoved(null)} />}
    </Section>
  )
}
