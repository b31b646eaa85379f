/** The GitHub App of the server: how to get one, where to install it, and whether GitHub still knows it. */
import type { Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Fetch from "../../../data/Fetch.ts"
import { refresh, useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Section } from "../../../ui/Section.tsx"
import { Loaded } from "../../../ui/States.tsx"

const Create = () => {
  const [organization, setOrganization] = useState("")
  const [failure, setFailure] = useState<Fetch.Failure | null>(null)
  const [isBusy, setIsBusy] = useState(false)

  const create = async (event: Event) => {
    event.preventDefault()
    setIsBusy(true)
    const name = organization.trim()
    const begun = await Fetch.send("POST", Routes.createGitHubApp, { organization: name === "" ? null : name })
    if (!Fetch.isFailure(begun)) return location.assign(begun.body.url)
    setIsBusy(false)
    setFailure(begun)
  }

  return (
    <form class="key-form" onSubmit={(event) => void create(event)}>
      <label>
        Organisation at GitHub
        <input
          placeholder="empty: your own account"
          maxLength={40}
          pattern="[a-zA-Z0-9\-]*"
          autocomplete="off"
          value={organization}
          onInput={(event) => setOrganization(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button primary" disabled={isBusy}>
        Create on GitHub
      </button>
      {failure === null ? null : (
        <p class="form-failure" role="alert">
          {failure.detail}
        </p>
      )}
    </form>
  )
}

const disconnect = async (): Promise<Fetch.Failure | null> => {
  const answer = await Fetch.send("DELETE", Routes.deleteGitHubApp)
  if (Fetch.isFailure(answer)) return answer
  await refresh("/v1/github/app")
  return null
}

const Disconnect = () => {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <button type="button" class="button" onClick={() => setIsAsking(true)}>
        Disconnect
      </button>
      {isAsking ? (
        <Dialog
          title="Disconnect the app"
          action="Disconnect"
          isDangerous
          onConfirm={disconnect}
          onClose={() => setIsAsking(false)}
        >
          <p>
            The server deletes the private key of the app, and no longer reports on pull requests. The app stays
            registered at GitHub: delete it there, too.
          </p>
        </Dialog>
      ) : null}
    </>
  )
}

const Registered = ({ app, of }: { readonly of: Wire.GitHubApp; readonly app: NonNullable<Wire.GitHubApp["app"]> }) => (
  <>
    <p>
      <a href={app.url}>{app.name}</a>
      {app.owner === "" ? null : <span class="muted"> of {app.owner}</span>}
      {of.source === "settings" ? <span class="muted">, from the settings of the server</span> : null}
    </p>
    <div class="button-row">
      <a class="button primary" href={app.install_url}>
        Install for repositories
      </a>
      {of.source === "created" ? <Disconnect /> : null}
    </div>
  </>
)

const State = ({ of }: { readonly of: Wire.GitHubApp }) => (
  <>
    {of.problem === null ? null : (
      <p class="form-failure" role="alert">
        {of.problem}.
      </p>
    )}
    {of.app === null ? null : <Registered of={of} app={of.app} />}
    {of.app === null && of.obstacle !== null ? <p>{of.obstacle}</p> : null}
    {of.obstacle === null ? <Create /> : null}
  </>
)

export const GitHubApp = () => {
  const found = useResource(Routes.gitHubApp)
  return (
    <Section
      title="GitHub App"
      hint="It reports on pull requests: one check for each commit, and one comment. GitHub asks you to confirm it."
    >
      <Loaded of={found}>{(state) => <State of={state} />}</Loaded>
    </Section>
  )
}
