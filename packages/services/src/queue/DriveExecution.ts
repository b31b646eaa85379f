/** Commands of a driven queue, carried out at the hosting platform. */
import type { Repository } from "@lazaret/domain"
import { CommitMessage, type EngineCommand, type EngineEvent, type Observation } from "@lazaret/queue"
import { Clock, Effect, Option } from "effect"
import type { ForgeError } from "../ports/Forge.ts"
import type { Build, DriveForge, Landed } from "./DriveForge.ts"
import type { QueueForge } from "./QueueForge.ts"
import * as Reading from "./Reading.ts"

/** The place where commands are carried out; `blocking` are the labels that keep a pull request out of the queue. */
export interface Place {
  readonly drive: DriveForge["Service"]
  readonly forge: QueueForge["Service"]
  readonly ref: Repository.RepositoryRef
  readonly branch: string
  readonly blocking: ReadonlyArray<string>
}

/** The commands that this page carries out. */
export type Command = EngineCommand.Of<"build" | "close" | "discard" | "land" | "merge" | "publish" | "read">

/** Whether a command is one of these. */
export const isDriven = (command: EngineCommand.EngineCommand): command is Command => kinds.has(command.kind)

const kinds: ReadonlySet<EngineCommand.EngineCommand["kind"]> = new Set<Command["kind"]>([
  "build",
  "close",
  "discard",
  "land",
  "merge",
  "publish",
  "read"
])

type Outcome = typeof EngineEvent.Outcome.Type

/** Carries out a command once. */
export const execute = (place: Place, command: Command): Effect.Effect<Outcome, ForgeError> => {
  const done = { kind: "done", command: command.id, answer: { kind: "ok" } } as const
  const { drive, ref } = place
  switch (command.kind) {
    case "build":
      return build(place, command)
    case "publish":
      return Effect.map(drive.publish(ref, { name: command.branch, sha: command.sha }), (isOurs) =>
        isOurs ? done : refused(command, "gone", `the branch ${command.branch} points elsewhere`)
      )
    case "discard":
      return Effect.as(drive.discard(ref, command.branch), done)
    case "read":
      return read(place, command)
    case "land":
      return land(place, command)
    case "merge":
      return merge(place, command)
    case "close":
      return Effect.as(drive.close(ref, command.number), done)
  }
}

const refused = (
  { id }: Command,
  refusal: EngineCommand.RefusalReason,
  detail: string,
  base: Observation.Tip | null = null
): EngineEvent.Of<"refused"> => ({ kind: "refused", command: id, refusal, detail, base })

const tipOf = Effect.fnUntraced(function* ({ branch, forge, ref }: Place) {
  const at = yield* Clock.currentTimeMillis
  const tip = Option.getOrNull(yield* forge.tip(ref, branch, null))
  return tip === null ? null : { sha: tip.sha, tree: tip.tree, version: at }
})

const build = Effect.fnUntraced(function* (place: Place, command: EngineCommand.Of<"build">) {
  const { drive, ref } = place
  const { batch, id, inPlace = false, members, method, onto, template = null } = command
  const described = yield* Effect.forEach(members, (member) =>
    Effect.map(
      drive.describe(ref, member.number),
      Option.map((facts) => ({ ...member, message: CommitMessage.of(facts, template, method) }))
    )
  )
  const known = described.flatMap((each) => Option.toArray(each))
  if (known.length < members.length) return refused(command, "gone", "a pull request does not exist")
  const scratch = `lazaret/tmp/${place.branch}/${batch}`
  const asked = { scratch, onto, members: known, squash: method === "squash", inPlace }
  const built = yield* Effect.catchIf(drive.build(ref, asked), isRefused, (error) =>
    Effect.flatMap(forbidden(place, asked), (numbers) =>
      numbers.length === 0 ? Effect.fail(error) : Effect.succeed({ numbers, detail: error.message })
    )
  )
  if ("numbers" in built) {
    return { ...refused(command, "rule", built.detail), members: built.numbers } satisfies Outcome
  }
  return Option.match(built, {
    onNone: () => refused(command, "gone", "a commit does not exist"),
    onSome: (found): Outcome => ({ kind: "done", command: id, answer: { kind: "built", ...found } })
  })
})

const isRefused = ({ reason }: ForgeError): boolean => reason === "refused"

/**
 * The members that the platform lets nobody merge, although it lets the queue write: GitHub refuses changes of workflow files to an app
 * without the permission for them (Mergifyio/mergify#5055), and GitLab commits that a push rule forbids.
 */
const forbidden = Effect.fnUntraced(function* ({ drive, ref }: Place, asked: Build) {
  const alone = yield* Effect.filter(asked.members, (member) =>
    drive.build(ref, { ...asked, members: [member], inPlace: false }).pipe(
      Effect.as(false),
      Effect.catchIf(isRefused, () => Effect.succeed(true))
    )
  )
  if (alone.length === 0) return []
  yield* drive.discard(ref, asked.scratch)
  const isWritable = yield* drive.publish(ref, { name: asked.scratch, sha: asked.onto }).pipe(
    Effect.as(true),
    Effect.catchIf(isRefused, () => Effect.succeed(false))
  )
  yield* drive.discard(ref, asked.scratch)
  return isWritable ? alone.map(({ number }) => number) : []
})

const read = Effect.fnUntraced(function* (place: Place, command: EngineCommand.Of<"read">) {
  const { blocking, branch, forge, ref } = place
  const at = yield* Clock.currentTimeMillis
  const pulls = yield* Effect.forEach(
    command.numbers,
    (number) =>
      Effect.map(forge.pull(ref, number), (pull) =>
        Reading.pullOf(
          Option.getOrElse(pull, () => Reading.unknown(number, "none", branch)),
          at,
          blocking
        )
      ),
    { concurrency: 4 }
  )
  const base = yield* tipOf(place)
  return base === null
    ? refused(command, "gone", `the branch ${branch} does not exist`)
    : ({ kind: "done", command: command.id, answer: { kind: "read", pulls, base } } as const)
})

/** Whether members are still open at their heads, on this base branch. */
const areOpen = Effect.fnUntraced(function* (
  { branch, forge, ref }: Place,
  members: ReadonlyArray<Observation.Member>
) {
  const found = yield* Effect.forEach(
    members,
    ({ head, number }) =>
      Effect.map(forge.pull(ref, number), (pull) => {
        const { base, head: present, state } = Option.getOrElse(pull, () => Reading.unknown(number, "none", branch))
        return state === "open" && present === head && base === branch
      }),
    { concurrency: 4 }
  )
  return found.every((isOpen) => isOpen)
})

/**
 * Lands by compare-and-set.
 *
 * **Details**
 *
 * The command may be old: a pause may lie between the read that confirmed its members and now. So the members are read again; a
 * landing that has had its effect is recognised by the base branch.
 */
const land = Effect.fnUntraced(function* (place: Place, command: EngineCommand.Of<"land">) {
  const { branch, drive, ref } = place
  const before = yield* tipOf(place)
  const isLanded = before?.sha !== command.from
  if (!isLanded && !(yield* areOpen(place, command.members))) {
    return refused(command, "head_moved", "a pull request changed", before)
  }
  const landed = yield* drive.land(ref, { branch, from: command.from, to: command.to })
  const base = yield* tipOf(place)
  if (landed.kind !== "landed") return refusedLanding(command, landed, base)
  return base === null
    ? refused(command, "gone", `the branch ${branch} does not exist`)
    : ({ kind: "done", command: command.id, answer: { kind: "landed", base } } as const)
})

/** Merges one pull request, if the base branch is where it was tested, or the pull request is merged already. */
const merge = Effect.fnUntraced(function* (place: Place, command: EngineCommand.Of<"merge">) {
  const { drive, forge, ref } = place
  const { from, member, method, template = null } = command
  const before = yield* tipOf(place)
  const pull = Option.getOrNull(yield* forge.pull(ref, member.number))
  const isMerged = pull?.state === "merged" && pull.head === member.head
  if (before?.sha !== from && !isMerged) return refused(command, "base_moved", "the base branch moved", before)
  const facts = template === null && method !== "squash" ? Option.none() : yield* drive.describe(ref, member.number)
  const message = Option.getOrNull(Option.map(facts, (each) => CommitMessage.of(each, template, method)))
  const landed = yield* drive.merge(ref, {
    ...member,
    method: method === "fast-forward" ? "merge" : method,
    message: method === "rebase" ? null : message
  })
  const base = yield* tipOf(place)
  if (landed.kind !== "landed") return refusedLanding(command, landed, base)
  const { sha, tree } = landed
  return base === null
    ? refused(command, "gone", `the branch ${place.branch} does not exist`)
    : ({ kind: "done", command: command.id, answer: { kind: "merged", sha, tree, base } } as const)
})

const refusedLanding = (
  command: EngineCommand.Of<"land" | "merge">,
  landed: Exclude<Landed, { readonly kind: "landed" }>,
  base: Observation.Tip | null
) =>
  landed.kind === "moved"
    ? refused(command, landed.what === "base" ? "base_moved" : "head_moved", `the ${landed.what} moved`, base)
    : refused(command, "rule", landed.detail, base)
