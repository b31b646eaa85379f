/** The mark of a person on a failure: was the verdict right? */
import { useState } from "preact/hooks"
import * as Fetch from "../../data/Fetch.ts"
import { refresh } from "../../data/Resource.ts"
import * as Routes from "../../data/Routes.ts"
import type * as Places from "../../Places.ts"
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

/** Renders nothing for a failure that takes no mark: one that was not uploaded, or that a pass on the same code has proven to be a flake. */
export const Mark = ({ of, repository }: { readonly of: Failure; readonly repository: Places.Repository }) => {
  const { evidence, execution_id: execution, mark: before, test_id, test_name } = of
  const [state, setState] = useState<State>(before === null ? "open" : { truth: before.truth, by: before.marked_by })
  if (execution === null || evidence.some(({ kind }) => kind === "passed_on_rerun")) return null
  const mark = async (truth: "flaky" | "real") => {
    setState("sending")
    const answer = await Fetch.send("PUT", Routes.markFailure(repository, test_id, execution), { truth })
    setState(Fetch.isFailure(answer) ? { failure: answer } : { truth, by: null })
    if (!Fetch.isFailure(answer)) await refresh(Routes.verdictPrecision(repository))
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
