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

const Shown = ({ repository }: Props) => {
  const found = useResource(Routes.settings(repository))
  return (
    <Loaded of={found} lines={10}>
      {(settings) => <SettingsForm repository={repository} settings={settings} />}
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
        <Empty title="Settings are for admin keys">
          You signed in with a key for CI jobs. Sign out, and in again with an admin key of {repository.owner}.
        </Empty>
      ) : (
        <>
          <Connection repository={repository} />
          <Shown repository={repository} />
          <Notifiers repository={repository} />
          <Removal repository={repository} />
        </>
      )}
    </>
  )
}
