/** The log of an engine as sentences for people. */
import * as DequeueReason from "./DequeueReason.ts"
import type { EngineCommand } from "./EngineCommand.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import * as Fate from "./Fate.ts"
import type { Member } from "./Observation.ts"
import type * as Preflight from "./Preflight.ts"
import * as TreeAudit from "./TreeAudit.ts"

/**
 * A sentence of the log: its place, when, the kind of its event (of a command that was issued: that of the command), and the pull requests
 * that it is about.
 */
export interface Line {
  readonly seq: number
  readonly at: number
  readonly kind: Exclude<EngineEvent.EngineEvent["kind"], "issued"> | EngineCommand["kind"]
  readonly pulls: ReadonlyArray<number>
  readonly sentence: string
}

/** The members of groups and batches by their ids. */
export type Names = ReadonlyMap<string, ReadonlyArray<Member>>

/** The groups and batches that events introduce, added to those that are known. */
export const names = (events: Iterable<EngineEvent.Logged>, known: Names = new Map()): Names => {
  const found = new Map(known)
  for (const { event, seq } of events) {
    if (event.kind === "group_seen") found.set(event.group.id, event.group.members)
    if (event.kind === "batch_formed") found.set(`b${seq}`, event.members)
    if (event.kind === "issued" && event.command.kind === "build") found.set(event.command.batch, event.command.members)
  }
  return found
}

/**
 * The sentence of an event; null for what only the machine needs, such as the outcome of a write that succeeded.
 *
 * **Details**
 *
 * A group whose members are not known is named by its commit.
 */
export const line = ({ at, event, seq }: EngineEvent.Logged, known: Names): Line | null => {
  const said = say(event, known)
  return said === null ? null : { seq, at, kind: event.kind === "issued" ? event.command.kind : event.kind, ...said }
}

type Said = Pick<Line, "pulls" | "sentence">

const list = (pulls: ReadonlyArray<number>): string => pulls.map((number) => `#${number}`).join(", ")

const about = (pulls: ReadonlyArray<number>, sentence: (name: string) => string, name = list(pulls)): Said => ({
  pulls,
  sentence: sentence(name)
})

const nobody = (sentence: string): Said => ({ pulls: [], sentence })

const say = (event: EngineEvent.EngineEvent, known: Names): Said | null => {
  const group = (id: string, sentence: (name: string) => string): Said => {
    const pulls = (known.get(id) ?? []).map(({ number }) => number)
    return about(pulls, sentence, pulls.length === 0 ? `Group ${id.slice(0, 10)}` : list(pulls))
  }
  return ofPeople(event) ?? ofPlatform(event, group) ?? ofEngine(event, group)
}

type OfGroup = (id: string, sentence: (name: string) => string) => Said

const ofPeople = (event: EngineEvent.EngineEvent): Said | null => {
  switch (event.kind) {
    case "queue_asked":
      return about([event.number], (name) => `${event.by} queued ${name}.`)
    case "dequeue_asked":
      return about([event.number], (name) => `${event.by} asked to take ${name} out of the queue.`)
    case "priority_asked":
      return about([event.number], (name) => `${event.by} gave ${name} the priority ${event.priority}.`)
    case "retry_asked":
      return about([event.number], (name) => `${event.by} asked to put ${name} into the queue.`)
    case "pause_set":
      return nobody(`${event.by} paused the queue: ${event.reason}`)
    case "pause_cleared":
      return nobody(`${event.by} ended the pause.`)
    case "trial_waived":
      return nobody(
        event.mode === "drive"
          ? `${event.by} let the queue be driven at a platform that is not certified: ${event.reason}`
          : `${event.by} let the gate act before its trial was over: ${event.reason}`
      )
    case "config_read":
      return nobody(`The mode is ${event.mode}${acts(event.mode) && event.shadow ? ", in the shadow" : ""}.`)
    default:
      return null
  }
}

const evictions: Record<EngineEvent.Of<"evicted">["cause"], string> = {
  checks_failed: "after its checks failed",
  checks_timeout: "since its check was silent for too long",
  conflict: "because it conflicts",
  closed: "since it was closed",
  by_hand: "because somebody asked for it",
  other: "for a reason of its own",
  unknown: "for a reason that is not known yet"
}

const fates: Record<EngineEvent.Of<"group_gone">["cause"], (name: string) => string> = {
  merged: (name) => `${name} was merged.`,
  invalidated: (name) => `The platform dropped the group of ${name} and builds another.`,
  dequeued: (name) => `The platform dropped the group of ${name}.`
}

const ofPlatform = (event: EngineEvent.EngineEvent, group: OfGroup): Said | null => {
  switch (event.kind) {
    case "rules_seen":
      return nobody(`The rules of the branch were read: ${event.rules.map(ruleName).join(", ") || "none"}.`)
    case "group_seen":
      return group(event.group.id, (name) => `The platform built a group for ${name}.`)
    case "group_gone":
      return group(event.id, fates[event.cause])
    case "evicted":
      return about([event.member.number], (name) =>
        event.cause === "by_hand" && event.by !== undefined
          ? `${event.by} took ${name} out of the queue of the platform.`
          : `The platform evicted ${name} ${evictions[event.cause]}.`
      )
    case "bypassed":
      return about([event.member.number], (name) => `${name} was merged without the gate.`)
    case "refused":
      return event.refusal === "not_yet" ? null : refused(event, group)
    case "issued":
      return ofCommand(event.command, group)
    case "tree_audited": {
      const pulls = event.members.map(({ number }) => number)
      return { pulls, sentence: TreeAudit.sentence(event) }
    }
    default:
      return null
  }
}

/** A command about a pull request has its number after its kind, one about a commit has that, one about a branch its name. */
const refused = ({ command, detail }: EngineEvent.Of<"refused">, group: OfGroup): Said => {
  const [kind = "", subject = ""] = command.split("/", 2)
  const to = (name: string) => `The platform refused to ${kind} ${name}: ${detail}`
  const the = (name: string) => `The platform refused the ${kind} of ${name}: ${detail}`
  switch (kind) {
    case "land":
    case "merge":
      return group(batchOf(subject), to)
    case "publish":
    case "discard":
      return group(batchOf(command.slice(command.lastIndexOf("/") + 1)), (name) => to(`the branch of ${name}`))
    case "enqueue":
    case "dequeue":
    case "close":
      return about([Number(subject)], to)
    case "tell":
      return about([Number(subject)], (name) => `The platform refused the comment on ${name}: ${detail}`)
    default:
      return group(subject, the)
  }
}

/** The batch of a build: its generation follows. */
const batchOf = (build: string): string => build.slice(0, build.lastIndexOf("-"))

const ruleName = (rule: Preflight.BranchRule): string => {
  if (rule.kind === "merge_queue") return "merge queue"
  return rule.kind === "required_check" ? `required check ${rule.name}` : rule.name
}

const ofCommand = (command: EngineEvent.Of<"issued">["command"], group: OfGroup): Said | null => {
  switch (command.kind) {
    case "publish":
      return group(command.batch, (name) => `${name}: ${command.branch} is tested.`)
    case "land": {
      const pulls = command.members.map(({ number }) => number)
      return about(pulls, (name) => `${name} passed and is landed as ${command.to.slice(0, 10)}.`)
    }
    case "merge":
      return about([command.member.number], (name) => `${name} passed and is merged.`)
    case "enqueue":
      return about([command.member.number], (name) => `${name} is put into the queue of the platform.`)
    case "dequeue":
      return about([command.number], (name) => `${name} is taken out of the queue of the platform.`)
    default:
      return null
  }
}

const ofEngine = (event: EngineEvent.EngineEvent, group: OfGroup): Said | null => {
  switch (event.kind) {
    case "round_rerun":
      return group(event.batch, (name) => `${name}: ${failed(event)}; the failed jobs run again.`)
    case "round_failed":
      return group(event.batch, (name) =>
        event.outcome === "missing"
          ? `${name}: ${event.checks.join(", ")} never started.`
          : `${name}: ${failed(event)}; it is not run again.`
      )
    case "group_concluded":
      return group(event.group, (name) => concluded(name, event))
    case "dequeued":
      return about([event.number], (name) => `${name} left the queue. ${DequeueReason.sentence(event.reason)}`)
    case "merged_elsewhere":
      return about([event.number], (name) => `${name} was merged by somebody else.`)
    case "batch_formed":
      return about(
        event.members.map(({ number }) => number),
        (name) => `${name} are tested together.`
      )
    case "round_begun":
      return group(event.batch, (name) => `${name} is up to date: its own checks are those of the queue.`)
    case "round_reused":
      return group(event.batch, (name) => `The tree of ${name} had passed as ${event.sha.slice(0, 10)}.`)
    case "round_voided":
      return group(event.batch, (name) => `${name} is tested again: ${voids[event.reason]}.`)
    case "round_inferred":
      return group(event.batch, (name) => `${name} is the rest of a batch that failed, and is not run again.`)
    case "batch_split":
      return group(event.batch, (name) => `${name} failed together and is split in halves.`)
    case "batches_joined":
      return group(event.batch, (name) => `${name} passed with everything under it, which lands with it.`)
    case "batch_dissolved":
      return group(event.batch, (name) => `${name} waits again: a higher priority goes first.`)
    case "conflict_held":
      return about([event.number], (name) => `${name} conflicts with ${list(event.ahead)} ahead and waits for them.`)
    case "batch_foreseen":
      return about(
        event.members.map(({ number }) => number),
        (name) => foreseen(name, event)
      )
    case "round_passed":
      return group(event.batch, (name) => `The checks of ${name} passed.`)
    case "incident_began":
      return nobody(`Unrelated groups fail alike (${event.signature}); nobody is evicted.`)
    case "group_reopened":
      return group(event.group, (name) => `${name} had passed and was not merged yet: it is held again.`)
    case "group_healed":
      return group(event.group, (name) => `${name}: ${lost(event)}; it is queued again.`)
    case "fate":
      // The log lines of the eviction and of the decision would have the same text.
      if (event.outcome === "evicted") return null
      return about([event.number], () => `${Fate.title(event)} ${Fate.sentence(event)}`)
    case "entry_removed":
      return about([event.member.number], (name) => `The platform keeps ${name}, which conflicts: it is taken out.`)
    case "incident_ended":
      return nobody(endings[event.cause])
    default:
      return null
  }
}

const lost = ({ checks }: EngineEvent.Of<"group_healed">): string =>
  `the platform started no run of ${checks.join(", ")} for its group, and did for a later one`

const acts = (mode: string): boolean => mode === "gate" || mode === "drive"

const voids: Record<EngineEvent.Of<"round_voided">["reason"], string> = {
  base_moved: "the base branch changed",
  ahead_changed: "what is ahead of it changed",
  base_renamed: "the base branch has another commit with the same files",
  edited: "somebody changed its queue branch",
  incident: "it failed during an incident",
  configuration: "other checks are required now"
}

const foreseen = (name: string, { outcome, ...event }: EngineEvent.Of<"batch_foreseen">): string => {
  switch (outcome) {
    case "landed":
      return `${name} would have been tested and landed together.`
    case "left":
      return `${name} would have left the queue: ${failed(event)}.`
    case "rerun":
      return `${name} would have run again: ${failed(event)}.`
  }
}

const endings: Record<EngineEvent.Of<"incident_ended">["cause"], string> = {
  passed: "A group passed: the incident is over.",
  expired: "The incident took too long.",
  configuration: "The check that never started is not required any more: the incident is over."
}

const failed = (event: Pick<EngineEvent.Of<"round_rerun">, "checks" | "class" | "failures">): string => {
  const tests = [...new Set(event.failures.flatMap(({ test }) => (test === null ? [] : [test])))]
  const named = tests.length === 0 ? "" : ` (${tests.slice(0, 3).join(", ")}${tests.length > 3 ? ", …" : ""})`
  return `${event.checks.join(", ") || "a required check"}${named} failed, ${Fate.classes[event.class]}`
}

const concluded = (name: string, { conclusion, reason, returns }: EngineEvent.Of<"group_concluded">): string =>
  conclusion === "success"
    ? `${name} passed the gate.`
    : `${name} failed the gate.${returns === true ? " It is put back into the queue." : ""} ${reason === null ? "" : DequeueReason.sentence(reason)}`.trim()
