/** The list of causes: tests that fail together, and outages, those that made most job runs red first. */
import { useState } from "preact/hooks"
import type { Wire } from "@lazaret/api"
import { refresh, useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import * as Format from "../../Format.ts"
import type * as Places from "../../Places.ts"
import { useQuery } from "../../Router.ts"
import { Pager } from "../../ui/Pager.tsx"
import { PageTitle, Section } from "../../ui/Section.tsx"
import { Empty, Loaded } from "../../ui/States.tsx"
import { Time } from "../../ui/Time.tsx"
import { CauseDialog, type Question } from "./CauseDialogs.tsx"
import { CauseRow } from "./CauseRow.tsx"
import { OneCause } from "./OneCause.tsx"

/** The number of job runs that causes come from, and when they were computed. The empty page shows the number itself. */
const asideOf = ({ causes, computed_at, sentence }: Wire.CausesPage) => (
  <>
    {causes.length === 0 ? null : sentence}
    {computed_at === null ? null : (
      <>
        {causes.length === 0 ? "Computed " : ", computed "}
        <Time at={computed_at} />
      </>
    )}
  </>
)

const Causes = ({
  ask,
  repository
}: {
  readonly ask: (question: Question) => void
  readonly repository: Places.Repository
}) => {
  const query = useQuery()
  const found = useResource(
    Routes.causes(repository, { cursor: query.get("cursor"), test_id: query.get("test_id"), per_page: 25 })
  )
  const title = found.status === "ready" ? Format.plural(found.answer.body.total, "cause") : "Causes"
  return (
    <Section title={title} aside={found.status === "ready" ? asideOf(found.answer.body) : undefined}>
      <Loaded of={found} lines={8}>
        {(page, { cursors }) =>
          page.causes.length === 0 ? (
            <Empty title={page.computed_at === null ? "No cause yet" : "No cause"}>
              {Format.capitalized(page.sentence)}.
            </Empty>
          ) : (
            <>
              <ul class="rows">
                {page.causes.map((each) => (
                  <CauseRow key={each.id} of={each} repository={repository} ask={ask} />
                ))}
              </ul>
              <Pager cursors={cursors} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

export const CausesPage = ({ repository }: { readonly repository: Places.Repository }) => {
  const one = useQuery().get("cause")
  const [question, setQuestion] = useState<Question | null>(null)
  return (
    <>
      <PageTitle>Causes</PageTitle>
      {one === null ? (
        <Causes ask={setQuestion} repository={repository} />
      ) : (
        <OneCause key={one} id={one} ask={setQuestion} repository={repository} />
      )}
      {question === null ? null : (
        <CauseDialog
          question={question}
          repository={repository}
          onClose={() => setQuestion(null)}
          onDone={async () => {
            await refresh(`${Routes.ci(repository)}/causes`)
          }}
        />
      )}
    </>
  )
}
