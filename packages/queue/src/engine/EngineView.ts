/** Views of an engine for people: the chain of groups, why each waits, and what a gate in the shadow would do. */
import * as DequeueReason from "./DequeueReason.ts"
import type * as EngineConfiguration from "./EngineConfiguration.ts"
import type * as EngineState from "./EngineState.ts"
import * as DrivePreflight from "./DrivePreflight.ts"
import * as DriveView from "./DriveView.ts"
import type * as Foresight from "./Foresight.ts"
import * as Preflight from "./Preflight.ts"
import type * as Savings from "./Savings.ts"
import type { Check } from "./Observation.ts"
import * as WaitReason from "./WaitReason.ts"

/**
 * A group of the platform's own queue.
 *
 * **Details**
 *
 * - `onto`: the group or the commit under it. `attempt`: how often its checks ran, from 1.
 * - `conclusion`: what the gate decided; null while it waits. `explanation`: why it waits, or was decided so.
 */
export interface Group {
  readonly id: string
  readonly onto: string
  readonly tree: string
  readonly pulls: ReadonlyArray<number>
  readonly seenAt: number
  readonly attempt: number
  readonly checks: ReadonlyArray<Check>
  readonly conclusion: EngineState.NativeGroup["concluded"]
  readonly explanation: string
}

/** A pull request and the sentence that explains its state. */
export interface Explained {
  readonly number: number
  readonly head: string
  readonly explanation: string
}

/**
 * The view of an engine.
 *
 * **Details**
 *
 * - `isActing`: whether decisions reach the platform. `explanation`: what the engine does, and why it does not more.
 * - `groups`: those that may still land, in the order in which they were built. `waiting`: in the platform's queue, without
 *   a group. `returning`: to be queued again. `evicted`: lately taken out by the platform, each with the cause.
 * - `findings`: of the rules as they were last read; null before, and where no gate or drive is configured.
 * - `batches`, `queued`: of a queue that is driven, also in the shadow. `foresight`: what the shadow would have done; null elsewhere.
 * - `savings`: what the gate kept, or in the shadow would have kept, in the weeks before and in this one, the oldest first.
 */
export interface EngineView {
  readonly branch: string
  readonly mode: EngineConfiguration.EngineConfiguration["mode"]
  readonly shadow: boolean
  readonly isActing: boolean
  readonly explanation: string
  readonly requiredChecks: ReadonlyArray<string>
  readonly pause: EngineState.Pause | null
  readonly incident: EngineState.Incident | null
  readonly findings: ReadonlyArray<Preflight.Finding> | null
  readonly groups: ReadonlyArray<Group>
  readonly waiting: ReadonlyArray<number>
  readonly returning: ReadonlyArray<number>
  readonly evicted: ReadonlyArray<Explained>
  readonly batches: ReadonlyArray<DriveView.Batch>
  readonly queued: ReadonlyArray<DriveView.Queued>
  readonly foresight: Foresight.Foresight | null
  readonly savings: ReadonlyArray<Savings.Savings>
}

/** The view of an engine in a state, by the configuration that is written. */
export const of = (
  state: EngineState.EngineState,
  configuration: EngineConfiguration.EngineConfiguration,
  now: number
): EngineView => {
  const { mode } = configuration
  const isGate = mode === "gate"
  const isDriven = mode === "drive"
  const findings = findingsOf(state, configuration)
  const isActing =
    (isGate || isDriven) && state.configuration?.mode === configuration.mode && !state.configuration.shadow
  const inForce = { ...configuration, shadow: !isActing }
  const open = state.groups.filter(({ gone }) => gone === null)
  const inGroup = new Set(open.flatMap(({ members }) => members.map(({ number }) => number)))
  return {
    branch: configuration.branch,
    mode: configuration.mode,
    shadow: configuration.shadow,
    isActing,
    explanation: explanationOf(state, configuration, findings),
    requiredChecks: configuration.requiredChecks,
    pause: state.pause,
    incident: state.incident,
    findings,
    groups: open.map((group) => groupOf(state, group, isGate && !isActing)),
    waiting: state.queue.filter(({ number }) => !inGroup.has(number)).map(({ number }) => number),
    returning: state.parked.toSorted((a, b) => a.place - b.place || a.number - b.number).map(({ number }) => number),
    evicted: state.evicted.map(({ head, number }) => ({ number, head, explanation: causeOf(state, number) })),
    batches: isDriven ? DriveView.batches(state) : [],
    queued: isDriven ? DriveView.queued(state, { configuration: inForce, now }) : [],
    foresight: isDriven ? state.foresight : null,
    savings: isGate ? state.savings : []
  }
}

/** The findings about the rules as they were last read; null before, and in modes that only show. */
export const findingsOf = (
  { matched, rules }: EngineState.EngineState,
  configuration: EngineConfiguration.EngineConfiguration
): ReadonlyArray<Preflight.Finding> | null => {
  if (rules === null) return null
  if (configuration.mode === "drive") return DrivePreflight.check(rules, configuration)
  return configuration.mode === "gate" ? Preflight.check(rules, configuration, matched?.matches) : null
}

const modes: Record<EngineConfiguration.EngineConfiguration["mode"], string> = {
  off: "The engine is off.",
  mirror: "The queue is mirrored: Lazaret compares what lands with what was tested, and writes nothing.",
  gate: "The gate decides which groups are merged.",
  drive: "Lazaret forms, tests and merges batches."
}

const onTrial = "Not everything that it needs is verified: `lazaret github check` lists what is missing."

const explanationOf = (
  state: EngineState.EngineState,
  { mode, shadow }: EngineConfiguration.EngineConfiguration,
  findings: EngineView["findings"]
): string => {
  if (mode === "drive") return ofDrive(state, shadow, findings)
  if (mode !== "gate") return modes[mode]
  if (state.configuration?.mode !== "gate") return "The gate has not read the queue of the platform yet."
  if (shadow) return "The gate is in the shadow: it decides and writes nothing."
  const impossible = (findings ?? []).filter(({ level }) => level === "impossible")
  const why = impossible.map(({ message }) => message).join(" ")
  if (!state.configuration.shadow) return modes.gate
  return `The gate is kept in the shadow. ${why === "" ? onTrial : why}`
}

const uncertified =
  "The platform is not certified for it: `lazaret queue certify` tries it on a scratch repository, and `lazaret queue waive-trial` does without."

const ofDrive = (state: EngineState.EngineState, shadow: boolean, findings: EngineView["findings"]): string => {
  if (state.configuration?.mode !== "drive") return "The queue has not been read yet."
  if (shadow) return "The queue is in the shadow: batches are planned and judged, and nothing is built or merged."
  if (!state.configuration.shadow) return modes.drive
  const impossible = (findings ?? []).filter(({ level }) => level === "impossible").map(({ message }) => message)
  return `The queue is kept in the shadow. ${impossible.length === 0 ? uncertified : impossible.join(" ")}`
}

const groupOf = (state: EngineState.EngineState, group: EngineState.NativeGroup, isShadow: boolean): Group => ({
  id: group.id,
  onto: group.onto,
  tree: group.tree,
  pulls: group.members.map(({ number }) => number),
  seenAt: group.seenAt,
  attempt: group.round.attempt,
  checks: group.round.checks,
  conclusion: group.concluded,
  explanation: explain(state, group, isShadow)
})

/** The last refusal of the check of a group, in a sentence for people. */
const refusalOf = ({ inflight }: EngineState.EngineState, id: string): string => {
  const refused = inflight.find(({ command, refusal }) => refusal !== null && "sha" in command && command.sha === id)
  if (refused === undefined) return ""
  const { command } = refused
  const what = command.kind === "set_check" ? "its check" : command.kind === "rerun" ? "its rerun" : command.kind
  return ` ${WaitReason.repeated(what, refused)}`
}

const explain = (state: EngineState.EngineState, group: EngineState.NativeGroup, isShadow: boolean): string =>
  `${explainState(state, group, isShadow)}${refusalOf(state, group.id)}`

const explainState = (
  { shown }: EngineState.EngineState,
  group: EngineState.NativeGroup,
  isShadow: boolean
): string => {
  const would = (done: string, planned: string) => (isShadow ? planned : done)
  if (group.concluded === "success") return would("It passed the gate.", "It would pass the gate.")
  if (group.concluded === "failure") {
    const because = group.reason === null ? "" : ` ${DequeueReason.sentence(group.reason)}`
    return `${would("It failed the gate.", "It would fail the gate.")}${because}`
  }
  const said = shown[group.id]
  if (said === undefined) return "Its tree is compared when it lands."
  // The check of the queue says why a group waits: people read the same sentence on both sides.
  const title = said.slice(said.indexOf(" ") + 1)
  const pending = group.round.checks.filter(({ state }) => state === "pending").map(({ name }) => name)
  return pending.length === 0 ? `${title}.` : `${title}: ${pending.join(", ")}.`
}

const causeOf = ({ groups }: EngineState.EngineState, number: number): string => {
  const last = groups.findLast(({ members }) => members.some((member) => member.number === number))
  return last?.reason === null || last === undefined
    ? "The platform took it out of its queue."
    : DequeueReason.sentence(last.reason)
}
