/** The mark of a person on a failure: was the verdict right? */
import { useState } from "preact/hooks"
import * as Fetch from "../../data/Fetch.ts"
import { refresh } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import type * as Places from "../../Places.ts"
import type { Several } from "./Grouping.ts"
import type { Failure } from "./Words.ts"

const truths = [
  ["flaky", "It was flaky"],
  ["real", "It was real"]
] as const

type State =
  | { readonly truth: string; readonly by: string | null }
  | { readonly failure: Fetch.Failure }
  | "open"
  | "sending"

const reasonOf = ({ detail, status }: Fetch.Failure): string =>
  status === 404 ? "Failures of forks cannot be marked, because their verdicts are not measured." : detail

/** A failure takes no mark when it was not uploaded, or when a pass on the same code has proven it to be a flake. */
const executionOf = ({ evidence, execution_id: execution }: Failure): string | null =>
  evidence.some(({ kind }) => kind === "passed_on_rerun") ? null : execution

/** Marks the failures of a test in several jobs at once; renders nothing when none of them takes a mark. */
export const Mark = ({ of, repository }: { readonly of: Several; readonly repository: Places.Repository }) => {
  const [{ test_id, test_name }] = of
  const executions = of.map(executionOf).filter((each) => each !== null)
  const before = of.find(({ mark: each }) => each !== null)?.mark ?? null
  const [state, setState] = useState<State>(before === null ? "open" : { truth: before.truth, by: before.marked_by })
  if (executions.length === 0) return null
  const mark = async (truth: "flaky" | "real") => {
    setState("sending")
    const answers = await Promise.all(
      executions.map((each) => Fetch.send("PUT", Routes.markFailure(repository, test_id, each), { truth }))
    )
    const failure = answers.find(Fetch.isFailure)
    setState(failure === undefined ? { truth, by: null } : { failure })
    if (failure === undefined) await refresh(Routes.verdictPrecision(repository))
  }
  return (
    <p class="judged-end" role="group" aria-label={`Was the verdict on ${test_name} right?`}>
      <span class="muted">Was it right?</span>
      {truths.map(([truth, words]) => (
        <button
          key={truth}
          type="button"
          class="button"
          disabled={state === "sending"}
          aria-pressed={typeof state === "object" && "truth" in state && state.truth === truth}
          onClick={() => void mark(truth)}
        >
          {words}
        </button>
      ))}
      {typeof state === "object" && "truth" in state ? (
        <span role="status">
          Marked as {state.truth}
          {state.by === null ? "" : ` by ${state.by}`}.
        </span>
      ) : null}
      {typeof state === "object" && "failure" in state ? <span role="alert">{reasonOf(state.failure)}</span> : null}
    </p>
  )
}
