/** Reads the reports of past runs, step by step, and says how far it is. */
import { useEffect, useRef, useState } from "preact/hooks"
import * as Fetch from "../../../data/Fetch.ts"
import { refresh } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import * as Format from "../../../Format.ts"
import type * as Places from "../../../Places.ts"

interface Progress {
  readonly runs: number
  readonly artifacts: number
  readonly recorded: number
  readonly duplicates: number
  readonly problems: ReadonlyArray<string>
}

const nothing: Progress = { runs: 0, artifacts: 0, recorded: 0, duplicates: 0, problems: [] }

const day = 86_400_000

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** A platform that is limited for a while is asked again; anything else ends the backfill. */
const pauses = [5000, 15_000, 60_000]

export const Backfill = ({ repository }: { readonly repository: Places.Repository }) => {
  const [days, setDays] = useState(30)
  const [progress, setProgress] = useState<Progress | null>(null)
  const [outcome, setOutcome] = useState<"running" | "done" | "stopped" | Fetch.Failure | null>(null)
  const isStopped = useRef(false)
  useEffect(
    () => () => {
      isStopped.current = true
    },
    []
  )

  const step = async (from: string, page: number) => {
    for (const pause of pauses) {
      const answer = await Fetch.send("POST", Routes.backfill(repository), { from, page })
      if (!Fetch.isFailure(answer) || answer.status !== 503 || isStopped.current) return answer
      await wait(pause)
    }
    return Fetch.send("POST", Routes.backfill(repository), { from, page })
  }

  const run = async () => {
    isStopped.current = false
    setOutcome("running")
    setProgress(nothing)
    const from = new Date(Date.now() - days * day).toISOString()
    for (let page: number | null = 1; page !== null;) {
      const answer: Awaited<ReturnType<typeof step>> = await step(from, page)
      if (Fetch.isFailure(answer)) return setOutcome(answer)
      const { artifacts, executions, next_page: next, problems, runs } = answer.body
      setProgress((before) => ({
        runs: (before ?? nothing).runs + runs,
        artifacts: (before ?? nothing).artifacts + artifacts,
        recorded: (before ?? nothing).recorded + executions.recorded,
        duplicates: (before ?? nothing).duplicates + executions.duplicates,
        problems: [...(before ?? nothing).problems, ...problems].slice(0, 20)
      }))
      if (isStopped.current) return setOutcome("stopped")
      page = next
    }
    setOutcome("done")
    await refresh(Routes.ci(repository))
  }

  return (
    <div class="backfill">
      <h3>Past runs</h3>
      <p class="hint">
        Reads the test reports in the artifacts of past runs, with the times of their runs. It may be repeated: an
        artifact never counts twice. Keep this page open while it reads.
      </p>
      <div class="button-row">
        <label>
          Days
          <select
            disabled={outcome === "running"}
            value={String(days)}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
          >
            {[7, 30, 90].map((each) => (
              <option key={each} value={String(each)}>
                {each}
              </option>
            ))}
          </select>
        </label>
        {outcome === "running" ? (
          <button type="button" class="button" onClick={() => (isStopped.current = true)}>
            Stop
          </button>
        ) : (
          <button type="button" class="button" onClick={() => void run()}>
            Read past runs
          </button>
        )}
      </div>
      <p aria-live="polite">{progress === null ? "" : sentenceOf(progress, outcome)}</p>
      {progress === null || progress.problems.length === 0 ? null : (
        <details>
          <summary>What could not be read</summary>
          <ul>
            {progress.problems.map((each, index) => (
              <li key={index}>{each}</li>
            ))}
          </ul>
        </details>
      )}
      {typeof outcome === "object" && outcome !== null ? (
        <p class="form-failure" role="alert">
          {outcome.detail}
        </p>
      ) : null}
    </div>
  )
}

const sentenceOf = ({ artifacts, duplicates, recorded, runs }: Progress, outcome: unknown): string => {
  const begin = outcome === "running" ? "Reading" : outcome === "done" ? "Done" : "Stopped"
  return (
    `${begin}: ${Format.number(runs)} runs, ${Format.number(artifacts)} artifacts, ` +
    `${Format.number(recorded)} new results, ${Format.number(duplicates)} known ones.`
  )
}
