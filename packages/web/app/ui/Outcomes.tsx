/** The latest executions of an identity as a strip: tall and filled for failures, so that it reads without colours. */
import type { Wire } from "@lazaret/api"
import * as Format from "../Format.ts"

type Execution = Wire.ExplainedExecution

export type Outcome = "passed" | "failed" | "flaky" | "skipped"

/** The outcome of an execution: one that failed and passed in the same job is flaky, whatever it ended with. */
export const outcomeOf = ({ conclusion, flaky }: Execution): Outcome => {
  if (flaky) return "flaky"
  return conclusion === "failed" || conclusion === "passed" ? conclusion : "skipped"
}

const heights: { readonly [O in Outcome]: number } = { passed: 6, flaky: 11, failed: 16, skipped: 3 }

const classes: { readonly [O in Outcome]: string } = {
  passed: "fill-passed",
  flaky: "fill-flaky",
  failed: "fill-failed",
  skipped: "fill-none"
}

const slots = 30

const sentence = (executions: ReadonlyArray<Execution>): string => {
  const count = (outcome: Outcome) => executions.filter((each) => outcomeOf(each) === outcome).length
  const [failed, flaky] = [count("failed"), count("flaky")]
  return `The latest ${Format.plural(executions.length, "run")}: ${failed} failed, ${flaky} flaky`
}

export const Outcomes = ({ of: executions }: { readonly of: ReadonlyArray<Execution> }) => {
  const offset = slots - executions.length
  return (
    <svg class="outcomes" viewBox={`0 0 ${slots * 5} 16`} role="img" aria-label={sentence(executions)}>
      <title>{sentence(executions)}</title>
      {executions.map((each, index) => {
        const outcome = outcomeOf(each)
        return (
          <rect
            key={each.id}
            class={classes[outcome]}
            x={(offset + index) * 5}
            y={16 - heights[outcome]}
            width="4"
            height={heights[outcome]}
            rx="1"
          />
        )
      })}
    </svg>
  )
}
