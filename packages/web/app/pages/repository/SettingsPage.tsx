/** The page of the settings of a repository, for those who administer it. */
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import type * as Places from "../../Places.ts"
import * as Session from "../../Session.ts"
import { PageTitle } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { Connection } from "./settings/Connection.tsx"
import { Notifiers } from "./settings/Notifiers.tsx"
import { Removal } from "./settings/Removal.tsx"
import { SettingsForm } from "./settings/SettingsForm.tsx"

interface Props {
  readonly repository: Places.Repository
}

const Shown = ({ isReadOnly, repository }: Props & { readonly isReadOnly: boolean }) => {
  const found = useResource(Routes.settings(repository))
  if (found.status === "failed" && found.failure.status === 403) {
    return (
      <Empty title="This key does not reach the settings">
        People with a role in the repository read them. An admin key of {repository.owner} changes them.
      </Empty>
    )
  }
  return (
    <Loaded of={found} lines={10}>
      {(settings) => (
        <>
          {isReadOnly ? <p class="muted">Administrators of {repository.owner} change these settings.</p> : null}
          <SettingsForm repository={repository} settings={settings} isReadOnly={isReadOnly} />
        </>
      )}
    </Loaded>
  )
}

export const SettingsPage = ({ repository }: Props) => {
  const session = Session.useSession()
  const isCi = session.status === "in" && session.application.scope === "ci"
  return (
    <>
      <PageTitle>Settings</PageTitle>
      {isCi ? (
        <Shown repository={repository} isReadOnly />
      ) : (
        <>
          <Connection repository={repository} />
          <Shown repository={repository} isReadOnly={false} />
          <Notifiers repository={repository} />
          <Removal repository={repository} />
        </>
      )}
    </>
  )
}
