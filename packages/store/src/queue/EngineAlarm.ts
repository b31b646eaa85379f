/** Observations of an engine that people have to hear about, as events of the repository. */
import { Event, type Instant } from "@lazaret/domain"
import { EngineCommand, type EngineEvent, type EngineState, Fate } from "@lazaret/queue"

/** The second refusal in a row: the first is often a commit that the platform does not know yet. */
const alarming = 1

/** The events that follow from an observation, from the outcome of a command, or from a decision. */
export const of = (
  before: EngineState.EngineState,
  event: EngineEvent.EngineEvent,
  { at, branch }: { readonly at: Instant.Instant; readonly branch: string }
): ReadonlyArray<Event.Event> => {
  if (event.kind === "bypassed") return [Event.bypassed(branch, event.member.number, event.sha, at)]
  if (event.kind === "fate") return Fate.isNews(event) ? [Event.queueFate(fateOf(event, branch), at)] : []
  if (event.kind !== "refused" || event.refusal === "not_yet") return []
  const refused = before.inflight.find(({ command }) => command.id === event.command)
  if (refused === undefined) return []
  const { command, tries } = refused
  if (tries !== alarming && !isHeld(command, event)) return []
  const { kind } = command
  const { detail } = event
  const pulls = event.members ?? pullsOf(before, command)
  return [Event.writeRefused({ branch, command: subjectOf(command), kind, pulls, detail }, at)]
}

/** A landing that the platform forbids, and a build that names its culprits, are not repeated: people have to act at once. */
const isHeld = ({ kind }: EngineCommand.EngineCommand, { members, refusal }: EngineEvent.Of<"refused">): boolean =>
  members !== undefined || ((kind === "land" || kind === "merge") && (refusal === "rule" || refusal === "not_possible"))

const fateOf = (fate: Fate.Fate, branch: string): Event.QueueFate => ({
  ...fate,
  branch,
  summary: `${Fate.title(fate)} ${Fate.sentence(fate)}`,
  commit: fate.group,
  tests: fate.failures.map(({ check, class: verdict, test }) => ({ check, test, verdict }))
})

/** The write that is refused: a batch that is built again after a push to the base branch is the same. */
const subjectOf = (command: EngineCommand.EngineCommand): string =>
  EngineCommand.isBuild(command) ? `${command.kind}/${command.batch}` : command.id

const pullsOf = (
  { batches, groups, heads }: EngineState.EngineState,
  command: EngineCommand.EngineCommand
): ReadonlyArray<number> => {
  if ("member" in command) return [command.member.number]
  if ("number" in command) return [command.number]
  if ("batch" in command)
    return (batches.find(({ id }) => id === command.batch)?.members ?? []).map(({ number }) => number)
  if (!("sha" in command)) return []
  const members = groups.find(({ id }) => id === command.sha)?.members ?? heads.filter(({ sha }) => sha === command.sha)
  return members.map(({ number }) => number)
}
