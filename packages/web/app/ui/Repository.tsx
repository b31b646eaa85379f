/** The gate before all pages of a repository: whether it exists. */
import type { ComponentChildren } from "preact"
import { useResource } from "../data/Resource.ts"
import * as Routes from "../data/Routes.ts"
import * as Places from "../Places.ts"
import { href } from "../Router.ts"
import { FirstReport } from "./FirstReport.tsx"
import { PageTitle, Section } from "./Section.tsx"

const Unknown = ({ repository }: { readonly repository: Places.Repository }) => (
  <>
    <PageTitle>
      {repository.owner}/{repository.repository} is not known
    </PageTitle>
    <Section title="No report was ever sent for this repository">
      <p>
        Check the spelling of the address, or choose one of <a href={href(Places.allRepositories)}>all repositories</a>.
        The first report creates the repository:
      </p>
      <FirstReport repository={repository} />
    </Section>
  </>
)

/** The page, unless the repository does not exist. */
export const OfRepository = (props: {
  readonly repository: Places.Repository
  readonly children: ComponentChildren
}) => {
  const found = useResource(Routes.summary(props.repository))
  return found.status === "failed" && found.failure.status === 404 ? (
    <Unknown repository={props.repository} />
  ) : (
    <>{props.children}</>
  )
}
