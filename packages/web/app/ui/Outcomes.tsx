/** The latest executions of an identity as a strip: tall and filled for failures, so that it reads without colours; each opens its run. */
import type { Wire } from "@lazaret/api"
import * as Format from "../Format.ts"
import * as Places from "../Places.ts"
import { href } from "../Router.ts"

type Execution = Wire.ExplainedExecution

export type Outcome = "passed" | "failed" | "flaky" | "skipped"

/** The outcome of an execution: one that failed and passed in the same job is flaky, whatever it ended with. */
export const outcomeOf = ({ conclusion, flaky }: Execution): Outcome => {
  if (flaky) return "flaky"
  return conclusion === "failed" || conclusion === "passed" ? conclusion : "skipped"
}

interface Props {
  readonly of: Execution
  readonly repository: Places.Repository
}

/** An execution as a mark that opens its run. */
export const Mark = ({ isStop = true, of: each, repository }: Props & { readonly isStop?: boolean }) => {
  const outcome = outcomeOf(each)
  const words = `${outcome} on ${Format.at(Date.parse(each.finished_at))}, commit ${Format.commit(each.commit)}, run ${each.run_id}`
  return (
    <a
      class={`mark ${outcome}`}
      href={href(Places.failures(repository, { kind: "run", id: each.run_id }))}
      title={words}
      aria-label={words}
      tabIndex={isStop ? undefined : -1}
    >
      <i />
    </a>
  )
}

const sentence = (executions: ReadonlyArray<Execution>): string => {
  const count = (outcome: Outcome) => executions.filter((each) => outcomeOf(each) === outcome).length
  const [failed, flaky] = [count("failed"), count("flaky")]
  return `The latest ${Format.plural(executions.length, "run")}: ${failed} failed, ${flaky} flaky`
}

/**
 * The strip. Its marks are for the mouse: with the keyboard one opens the test, whose page has the same marks; thirty more
 * stops in each row would be in the way.
 */
export const Outcomes = (props: { readonly of: ReadonlyArray<Execution>; readonly repository: Places.Repository }) => (
  <span class="outcomes" role="group" aria-label={sentence(props.of)}>
    {props.of.map((each) => (
      <Mark key={each.id} of={each} repository={props.repository} isStop={false} />
    ))}
  </span>
)
