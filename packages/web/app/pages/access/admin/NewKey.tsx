/** The form of a new key, and its secret, which is shown this once. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Fetch from "../../../data/Fetch.ts"
import * as Routes from "../../../data/Routes.ts"
import { Copy } from "../../../ui/Copy.tsx"

const scopes: ReadonlyArray<readonly [Wire.CreateApplicationKey["scope"], string]> = [
  ["upload", "upload: sends reports"],
  ["read", "read: reads tests and quarantines"],
  ["ci", "ci: uploads, reads and quarantines"],
  ["admin", "admin: everything"]
]

const scopeOf = (text: string): Wire.CreateApplicationKey["scope"] =>
  scopes.find(([scope]) => scope === text)?.[0] ?? "upload"

export const NewKey = (props: { readonly owner: string | null; readonly onCreated: () => Promise<unknown> }) => {
  const [name, setName] = useState("")
  const [scope, setScope] = useState<Wire.CreateApplicationKey["scope"]>("upload")
  const [owner, setOwner] = useState(props.owner ?? "")
  const [failure, setFailure] = useState<Fetch.Failure | null>(null)
  const [secret, setSecret] = useState<{ readonly of: string; readonly text: string } | null>(null)

  const create = async (event: Event) => {
    event.preventDefault()
    const body = { name: name.trim(), scope, owner: owner.trim() === "" ? null : owner.trim() }
    const created = await Fetch.send("POST", Routes.createApplicationKey, body)
    if (Fetch.isFailure(created)) return setFailure(created)
    setFailure(null)
    setName("")
    setSecret({ of: created.body.name, text: created.body.secret })
    await props.onCreated()
  }

  return (
    <>
      <form class="key-form" onSubmit={(event) => void create(event)}>
        <label>
          Name
          <input
            required
            maxLength={255}
            placeholder="CI of widgets"
            autocomplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label>
          Scope
          <select value={scope} onChange={(event) => setScope(scopeOf(event.currentTarget.value))}>
            {scopes.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          Owner
          <input
            maxLength={40}
            placeholder="empty: all owners"
            autocomplete="off"
            readOnly={props.owner !== null}
            value={owner}
            onInput={(event) => setOwner(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button primary">
          Create key
        </button>
      </form>
      {failure === null ? null : (
        <p class="form-failure" role="alert">
          {failure.detail}
        </p>
      )}
      {secret === null ? null : (
        <div class="new-secret">
          <p>
            <strong>The secret of {secret.of}</strong>: keep it now. The server keeps only its hash and cannot show it
            again.
          </p>
          <Copy label={`Secret of ${secret.of}`} text={secret.text} />
        </div>
      )}
    </>
  )
}
