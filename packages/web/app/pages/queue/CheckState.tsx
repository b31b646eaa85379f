/** The state of a check: a shape and a word, never a colour alone. */
import type { Wire } from "@lazaret/api"
import type { JSX } from "preact"
import * as Format from "../../Format.ts"

type State = NonNullable<
  Wire.Queues["queues"][number]["pull_requests"][number]["speculative_check_pull_request"]
>["state"]

type Kind = "passed" | "failed" | "waiting" | "ignored"

const kinds: { readonly [S in State]: Kind } = {
  success: "passed",
  failure: "failed",
  error: "failed",
  timed_out: "failed",
  action_required: "failed",
  cancelled: "failed",
  stale: "waiting",
  pending: "waiting",
  neutral: "ignored",
  skipped: "ignored"
}

const words: { readonly [S in State]?: string } = {
  success: "passed",
  failure: "failed",
  timed_out: "timed out",
  action_required: "action required"
}

const shapes: { readonly [K in Kind]: JSX.Element } = {
  passed: <path d="M2 6.2 5 9.2 10.2 3.2" />,
  failed: <path d="M2.5 2.5l7 7m0-7-7 7" />,
  waiting: <circle cx="6" cy="6" r="3.8" />,
  ignored: <path d="M2.5 6h7" />
}

export const CheckState = ({ state }: { readonly state: State }) => (
  <span class={`check-state ${kinds[state]}`}>
    <svg viewBox="0 0 12 12" aria-hidden="true">
      {shapes[kinds[state]]}
    </svg>
    {words[state] ?? state}
  </span>
)

const labels: { readonly [K in Kind]: string } = {
  failed: "failed",
  waiting: "pending",
  passed: "passed",
  ignored: "skipped"
}

/** "1 of 4 checks failed, 2 pending": failures first; checks that were skipped are not counted. */
export const summaryOf = (states: ReadonlyArray<State>): string => {
  const count = (kind: Kind) => states.filter((state) => kinds[state] === kind).length
  const all = states.length - count("ignored")
  if (all === 0) return "every check was skipped"
  if (count("passed") === all) return `all ${Format.plural(all, "check")}`
  const [first = "", ...rest] = (["failed", "waiting", "passed"] as const).flatMap((kind) =>
    count(kind) === 0 ? [] : [`${Format.number(count(kind))} ${labels[kind]}`]
  )
  const [number = "", word = ""] = first.split(" ")
  return [`${number} of ${Format.plural(all, "check")} ${word}`, ...rest].join(", ")
}
