/**
 * Incidents: unrelated rounds that fail alike, which is rarely the fault of their pull requests.
 *
 * **Details**
 *
 * Two rounds are unrelated when neither held the members of the other. They are alike when the same test failed in the
 * same check, when the same check failed without a report, or when both failed by infrastructure; failures that are
 * judged flaky do not count. A required check that does not start in a group of the platform's own queue is an incident by
 * itself. While an incident lasts nobody is evicted and no batch is split. It ends with the first
 * round that passes, or after its longest time; failures are then judged as usual.
 */
import type * as Batch from "./Batch.ts"
import type * as EngineConfiguration from "./EngineConfiguration.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import type * as EngineState from "./EngineState.ts"
import type { Member } from "./Observation.ts"

type State = EngineState.EngineState

/** How many failed rounds are remembered: far more than an incident needs. */
const kept = 50

/** The marks by which failures are alike. */
const signatures = ({ checks, class: of, failures }: Marked): ReadonlyArray<string> => {
  if (of === "infrastructure") return ["infrastructure"]
  const counted = failures.filter((failure) => failure.class !== "flaky")
  const named = counted.map(({ check, test }) => (test === null ? check : `${check}: ${test}`))
  return failures.length === 0 ? checks : [...new Set(named)]
}

const absent = "never started: "

/** A pull request was let into the queue with this check on its head: that it does not start is hardly its fault. */
const absences = ({ checks, outcome }: EngineEvent.Of<"round_failed">): ReadonlyArray<string> =>
  outcome === "missing" ? checks.map((check) => `${absent}${check}`) : []

/** The check that does not start in an incident; null where rounds fail. */
export const absentCheck = ({ signature }: EngineState.Incident): string | null =>
  signature.startsWith(absent) ? signature.slice(absent.length) : null

/** The fields of a failed round from which its marks are made. */
export type Marked = Pick<EngineEvent.Of<"round_failed">, "checks" | "class" | "failures">

const numbers = (members: Batch.Batch["members"] | undefined): ReadonlyArray<number> =>
  (members ?? []).map(({ number }) => number)

/** The state that remembers a failed round. */
export const remember = (
  state: State,
  batch: Batch.Batch | EngineState.NativeGroup,
  event: EngineEvent.Of<"round_failed">,
  at: number
): State => {
  const failed: EngineState.FailedRound = {
    at,
    batch: batch.id,
    members: numbers(batch.members),
    under: "onto" in batch ? ahead(state.groups, batch) : numbers(batch.foundation?.under),
    signatures: event.outcome === "red" ? signatures(event) : "onto" in batch ? absences(event) : []
  }
  return { ...state, failedRounds: [...state.failedRounds, failed].slice(-kept) }
}

/** The pull requests under a group of the platform's own queue that have not landed yet. */
const ahead = (groups: State["groups"], { onto }: EngineState.NativeGroup): ReadonlyArray<number> => {
  const under = groups.find(({ gone, id }) => id === onto && gone !== "merged")
  return under === undefined ? [] : [...ahead(groups, under), ...under.members.map(({ number }) => number)]
}

/** The state after an incident began, was probed, or ended. What led to one that ended counts no more. */
export const step = (
  state: State,
  event: EngineEvent.Of<"incident_began" | "incident_probed" | "incident_ended">,
  at: number
): State => {
  switch (event.kind) {
    case "incident_began":
      return { ...state, incident: { at, signature: event.signature, probedAt: at } }
    case "incident_probed":
      return state.incident === null ? state : { ...state, incident: { ...state.incident, probedAt: at } }
    case "incident_ended":
      return {
        ...state,
        incident: null,
        failedRounds: [],
        lastHold: state.incident === null ? state.lastHold : { at: state.incident.at, until: at }
      }
  }
}

/** Whether a larger batch that held these pull requests failed alike lately: they are the part that fails as the whole did. */
export const hasFailedAlike = (state: State, members: ReadonlyArray<Member>, marked: Marked): boolean => {
  const marks = signatures(marked)
  return state.failedRounds.some(
    (round) =>
      round.members.length > members.length &&
      members.every(({ number }) => round.members.includes(number)) &&
      round.signatures.some((signature) => marks.includes(signature))
  )
}

const areUnrelated = (a: EngineState.FailedRound, b: EngineState.FailedRound): boolean =>
  a.members.every((number) => !b.members.includes(number) && !b.under.includes(number)) &&
  b.members.every((number) => !a.under.includes(number))

/** The mark and batches of an incident that the failed rounds within the time limit show; null: none. */
export const detect = (
  state: State,
  { incident }: EngineConfiguration.EngineConfiguration,
  now: number
): { readonly signature: string; readonly batches: ReadonlyArray<string> } | null => {
  if (incident.action === "none" || state.incident !== null) return null
  const recent = state.failedRounds.filter(({ at }) => now - at <= incident.within)
  for (const signature of new Set(recent.flatMap((round) => round.signatures))) {
    const alike: Array<EngineState.FailedRound> = []
    for (const round of recent) {
      if (round.signatures.includes(signature) && alike.every((each) => areUnrelated(each, round))) alike.push(round)
    }
    const isEnough = alike.length >= incident.rounds || signature.startsWith(absent)
    if (isEnough) return { signature, batches: alike.map(({ batch }) => batch) }
  }
  return null
}
