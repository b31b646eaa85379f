/** The page of the whole server: the GitHub App, keys, roles, notifications, sessions and the audit log. */
import * as Session from "../../Session.ts"
import { PageTitle } from "../../ui/Section.tsx"
import { Empty } from "../../ui/States.tsx"
import { Audit } from "./admin/Audit.tsx"
import { GitHubApp } from "./admin/GitHubApp.tsx"
import { Keys } from "./admin/Keys.tsx"
import { Roles } from "./admin/Roles.tsx"
import { Sessions } from "./admin/Sessions.tsx"
import { WideNotifiers } from "../repository/settings/Notifiers.tsx"

export const AdminPage = () => {
  const session = Session.useSession()
  if (session.status !== "in") return null
  const { account_scope: reach, scope } = session.application
  const owner = reach.login === "*" ? null : reach.login
  return (
    <>
      <PageTitle>Administration</PageTitle>
      {scope === "ci" ? (
        <Empty title="Administration is for admin keys">
          You signed in with a key for CI jobs. Sign out, and in again with an admin key.
        </Empty>
      ) : (
        <>
          {owner === null ? <GitHubApp /> : null}
          <Keys owner={owner} />
          <Roles owner={owner} />
          <WideNotifiers owner={owner} />
          <Sessions />
          <Audit />
        </>
      )}
    </>
  )
}
