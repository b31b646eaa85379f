/** One cause with the commits among which it began. */
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Places from "../../Places.ts"
import { href } from "../../Router.ts"
import { Section } from "../../ui/Section.tsx"
import { Loaded } from "../../ui/States.tsx"
import { ChangeOf } from "../health/test/ChangeOf.tsx"
import type { Question } from "./CauseDialogs.tsx"
import { CauseRow } from "./CauseRow.tsx"

interface Props {
  readonly id: string
  readonly repository: Places.Repository
  readonly ask: (question: Question) => void
}

export const OneCause = ({ ask, id, repository }: Props) => {
  const found = useResource(Routes.cause(repository, id))
  const change = useResource(Routes.causeChange(repository, id))
  return (
    <Section title="1 cause" aside={<a href={href(Places.causes(repository))}>All causes</a>}>
      <Loaded of={found} lines={6}>
        {(cause) => (
          <ul class="rows">
            <CauseRow of={cause} repository={repository} ask={ask} />
          </ul>
        )}
      </Loaded>
      <Loaded of={change} lines={1}>
        {(of) => <ChangeOf of={of} />}
      </Loaded>
    </Section>
  )
}
