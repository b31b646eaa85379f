/** How a pull request left the merge queue, or was kept in it. */
import type { Wire } from "@lazaret/api"
import { useResource } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import type * as Places from "../../Places.ts"
import * as Session from "../../Session.ts"
import { Prose } from "../../ui/Prose.tsx"
import { Section } from "../../ui/Section.tsx"
import { Time } from "../../ui/Time.tsx"

type Outcome = Wire.MergeQueueHistory["outcomes"][number]

interface Props {
  readonly repository: Places.Repository
  readonly number: string
}

const verdicts: Record<Outcome["tests"][number]["verdict"], string> = {
  flaky: "judged flaky",
  real: "judged real",
  infrastructure: "judged a failure of the environment",
  unknown: "of unknown cause"
}

const OutcomeOf = ({ of: { at, outcome, sentence, tests, url } }: { readonly of: Outcome }) => (
  <li>
    <strong>{outcome === "evicted" ? "Left the queue" : "Kept in the queue"}</strong> <Time at={at} />{" "}
    <Prose text={sentence} />
    {url === null ? null : (
      <>
        {" "}
        <a href={url} rel="noreferrer" target="_blank">
          The check
        </a>
      </>
    )}
    {tests.length === 0 ? null : (
      <ul>
        {tests.map(({ check, test, verdict }) => (
          <li key={`${check} ${test ?? ""}`}>
            {check}: {test ?? "no report of tests"}, {verdicts[verdict]}
          </li>
        ))}
      </ul>
    )}
  </li>
)

const Shown = ({ number, repository }: Props) => {
  const found = useResource(Routes.queueHistory(repository, number))
  if (found.status !== "ready") return null
  const { outcomes } = found.answer.body
  if (outcomes.length === 0) return null
  return (
    <Section title="Merge queue" aside="the newest first">
      <ol class="queue-log">
        {outcomes.map((each) => (
          <OutcomeOf key={`${each.at} ${each.reason}`} of={each} />
        ))}
      </ol>
    </Section>
  )
}

const OfGate = (props: Props) => {
  const found = useResource(Routes.queueEngines(props.repository))
  const isGate = found.status === "ready" && found.answer.body.engines.some(({ mode }) => mode === "gate")
  return isGate ? <Shown {...props} /> : null
}

/** The outcomes of a pull request in the queue of a gate; nothing for keys that may not read the queue. */
export const Outcomes = (props: Props) => {
  const session = Session.useSession()
  return session.status === "in" && session.application.scope !== "ci" ? <OfGate {...props} /> : null
}
