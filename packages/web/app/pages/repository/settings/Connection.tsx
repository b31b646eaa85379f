/** The repository at its hosting platform: whether the app is installed there, and the history that its runs keep. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Places from "../../../Places.ts"
import { href } from "../../../Router.ts"
import * as Session from "../../../Session.ts"
import { Section } from "../../../ui/Section.tsx"
import { Loaded } from "../../../ui/States.tsx"
import { Backfill } from "./Backfill.tsx"

const Administration = () => {
  const session = Session.useSession()
  const isServer = session.status === "in" && session.application.account_scope.login === "*"
  return isServer ? (
    <a href={href(Places.admin)}>Open Administration</a>
  ) : (
    <>Ask a person with an admin key of all owners</>
  )
}

const words = {
  off: (
    <>
      This server is connected to no hosting platform, so there are no checks on pull requests. <Administration /> to
      connect it.
    </>
  ),
  not_installed: (
    <>
      The app of this server is not installed for this repository. <Administration /> to install it.
    </>
  ),
  refused: (
    <>
      The hosting platform refuses the request: the app may lack a permission, or the repository does not exist there.
    </>
  ),
  unavailable: <>The hosting platform does not answer. Open this page again later.</>
} as const

const State = ({ detail, state, ...found }: Wire.RepositoryConnection) =>
  state === "installed" ? (
    <p>
      Connected: pull requests get a check. The default branch there is <code>{found.default_branch}</code>.
    </p>
  ) : (
    <>
      <p>{words[state]}</p>
      {detail === null || state === "not_installed" ? null : <p class="muted">{detail}</p>}
    </>
  )

export const Connection = ({ repository }: { readonly repository: Places.Repository }) => {
  const found = useResource(Routes.connection(repository))
  return (
    <Section title="Hosting platform">
      <Loaded of={found} lines={2}>
        {(state) => (
          <>
            <State {...state} />
            {state.state === "installed" ? <Backfill repository={repository} /> : null}
          </>
        )}
      </Loaded>
    </Section>
  )
}
