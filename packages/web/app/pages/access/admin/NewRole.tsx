/** The form that gives a person a role. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Fetch from "../../../data/Fetch.ts"
import { useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"

const roles: ReadonlyArray<readonly [Wire.SetRole["role"], string]> = [
  ["viewer", "viewer: reads"],
  ["member", "member: also quarantines"],
  ["admin", "admin: also settings; of an owner: keys and roles"]
]

const roleOf = (text: string): Wire.SetRole["role"] => roles.find(([role]) => role === text)?.[0] ?? "viewer"

export const NewRole = (props: { readonly owner: string | null; readonly onGiven: () => Promise<unknown> }) => {
  const ways = useResource(Routes.signInWays)
  const providers = ways.status === "ready" ? ways.answer.body.providers : []
  const [login, setLogin] = useState("")
  const [kind, setKind] = useState("")
  const [role, setRole] = useState<Wire.SetRole["role"]>("viewer")
  const [place, setPlace] = useState(props.owner ?? "")
  const [failure, setFailure] = useState<Fetch.Failure | null>(null)

  const give = async (event: Event) => {
    event.preventDefault()
    const provider = (providers.find((each) => each.kind === kind) ?? providers[0])?.kind ?? null
    // The text after the first slash is the name, even if the server refuses it.
    const [owner = "", ...rest] = place.trim().split("/")
    const repository = rest.join("/")
    const given = await Fetch.send("PUT", Routes.setRole, {
      login: login.trim(),
      provider,
      role,
      owner: owner === "" ? null : owner,
      repository: repository === "" ? null : repository
    })
    if (Fetch.isFailure(given)) return setFailure(given)
    setFailure(null)
    setLogin("")
    await props.onGiven()
  }

  return (
    <>
      <form class="key-form" onSubmit={(event) => void give(event)}>
        <label>
          Login
          <input
            required
            maxLength={255}
            autocomplete="off"
            value={login}
            onInput={(event) => setLogin(event.currentTarget.value)}
          />
        </label>
        {providers.length < 2 ? null : (
          <label>
            Signs in with
            <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
              {providers.map((each) => (
                <option key={each.kind} value={each.kind}>
                  {each.title}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          Role
          <select value={role} onChange={(event) => setRole(roleOf(event.currentTarget.value))}>
            {roles.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          Where
          <input
            required={props.owner !== null}
            maxLength={141}
            placeholder="acme, or acme/widgets; empty: everywhere"
            autocomplete="off"
            value={place}
            onInput={(event) => setPlace(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button primary">
          Give role
        </button>
      </form>
      {failure === null ? null : (
        <p class="form-failure" role="alert">
          {failure.detail}
        </p>
      )}
    </>
  )
}
