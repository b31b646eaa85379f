/** The merge queue of a hosting platform in memory, which fails as a test wants it. */
import type { Repository } from "@lazaret/domain"
import type { Observation, Preflight } from "@lazaret/queue"
import {
  type BranchTip,
  ForgeError,
  type PullSnapshot,
  type QueueEntry,
  type RerunOutcome,
  QueueForge,
  type QueueReport
} from "@lazaret/services"
import { Effect, Option } from "effect"

/** A failure of the next write: before or after its effect. */
export interface Fault {
  readonly when: "before" | "after"
  readonly reason: ForgeError["reason"]
}

/** The state of the platform. `writes` lists every write that had its effect. */
export interface SimpleQueue {
  readonly entries: Array<QueueEntry>
  readonly pulls: Map<number, PullSnapshot>
  readonly checks: Map<string, ReadonlyArray<Observation.Check>>
  readonly reports: Map<string, QueueReport>
  readonly rules: Array<Preflight.BranchRule>
  readonly permissions: Map<string, "read" | "write">
  readonly faults: Array<Fault>
  readonly writes: Array<string>
  readonly running: Set<string>
  readonly forge: QueueForge["Service"]
  isDown: boolean
  /** Whether it never says what an account may do. */
  isSilent: boolean
  tip: BranchTip | null
  /** The outcome of a rerun that is asked for. */
  rerun: (sha: string) => RerunOutcome
  /** The next read: it never ends, dies, or is refused. */
  next: "hangs" | "dies" | "refuses" | null
}

/** The rules that a gate needs. */
export const gateRules: ReadonlyArray<Preflight.BranchRule> = [
  { kind: "required_check", name: "lazaret/queue", isOurs: true },
  { kind: "merge_queue", timeout: 3_600_000 }
]

/** A platform with an empty queue. */
export const make = (): SimpleQueue => {
  const state = {
    entries: new Array<QueueEntry>(),
    pulls: new Map<number, PullSnapshot>(),
    checks: new Map<string, ReadonlyArray<Observation.Check>>(),
    reports: new Map<string, QueueReport>(),
    rules: [...gateRules],
    permissions: new Map<string, "read" | "write">(),
    faults: new Array<Fault>(),
    writes: new Array<string>(),
    running: new Set<string>(),
    tip: null as SimpleQueue["tip"],
    rerun: (() => "started") as SimpleQueue["rerun"],
    isDown: false,
    isSilent: false,
    next: null as SimpleQueue["next"]
  }

  const failed = (operation: string, { owner, repository }: Repository.RepositoryRef, reason: Fault["reason"]) =>
    Effect.fail(new ForgeError({ operation, owner, repository, reason, retryAt: null, message: "as planned" }))

  const read = <A>(operation: string, ref: Repository.RepositoryRef, answer: () => A) =>
    Effect.suspend(() => {
      const { next } = state
      state.next = null
      if (next === "hangs") return Effect.never
      if (next === "refuses") return failed(operation, ref, "refused")
      if (next === "dies") return Effect.die("as planned")
      return state.isDown ? failed(operation, ref, "unavailable") : Effect.succeed(answer())
    })

  const write = (operation: string, ref: Repository.RepositoryRef, effect: () => void) =>
    Effect.suspend(() => {
      const fault = state.isDown ? { when: "before" as const, reason: "unavailable" as const } : state.faults.shift()
      if (fault?.when === "before") return failed(operation, ref, fault.reason)
      effect()
      state.writes.push(operation)
      return fault === undefined ? Effect.void : failed(operation, ref, fault.reason)
    })

  const forge = QueueForge.of({
    pull: (ref, number) => read("pull", ref, () => Option.fromUndefinedOr(state.pulls.get(number))),
    openPulls: (ref, branch) =>
      read("openPulls", ref, () =>
        [...state.pulls.values()]
          .filter((pull) => pull.state === "open" && pull.base === branch)
          .map((pull) => ({ ...pull, checks: state.checks.get(pull.head) ?? [] }))
      ),
    checks: (ref, sha) => read("checks", ref, () => state.checks.get(sha) ?? []),
    queue: (ref) => read("queue", ref, () => Option.some([...state.entries])),
    rules: (ref) => read("rules", ref, () => [...state.rules]),
    permission: (ref, account) =>
      Effect.suspend(() =>
        state.isSilent ? Effect.never : read("permission", ref, () => state.permissions.get(account) ?? "none")
      ),
    sweepAt: () => Effect.succeed(0),
    setCheck: (ref, report) =>
      write(`check ${report.sha} ${report.conclusion ?? "in_progress"}`, ref, () => {
        state.reports.set(report.sha, report)
      }),
    runsInProgress: (ref, sha) => read("runsInProgress", ref, () => state.running.has(sha)),
    tip: (ref) => read("tip", ref, () => Option.fromNullOr(state.tip)),
    rerun: (ref, { sha }) =>
      Effect.suspend(() => {
        const outcome = state.rerun(sha)
        return outcome === "started"
          ? Effect.as(
              write(`rerun ${sha}`, ref, () => {}),
              outcome
            )
          : Effect.succeed(outcome)
      }),
    cancel: (ref, sha) => write(`cancel ${sha}`, ref, () => {}),
    cancelChecks: (ref, sha, checks) =>
      state.checks.get(sha)?.some(({ name }) => checks.includes(name)) === true
        ? Effect.as(
            write(`cancel ${sha} ${checks.join()}`, ref, () => {}),
            true
          )
        : Effect.succeed(false),
    enqueue: (ref, { number }) =>
      write(`enqueue ${number}`, ref, () => {
        join(state, number)
      }),
    dequeue: (ref, number) =>
      write(`dequeue ${number}`, ref, () => {
        remove(state, number)
      })
  })
  return Object.assign(state, { forge })
}

const remove = ({ entries }: Pick<SimpleQueue, "entries">, number: number): void => {
  const index = entries.findIndex((entry) => entry.number === number)
  if (index >= 0) entries.splice(index, 1)
}

/** Puts a pull request into the queue, and builds its group on the last one. */
export const enter = (queue: SimpleQueue, number: number): string => {
  const id = `g${number}`
  const onto = queue.entries.at(-1)?.group?.id ?? "m0"
  queue.entries.push({ number, head: `h${number}`, group: { id, tree: `tree-${id}`, onto } })
  open(queue, number)
  return id
}

/** Puts a pull request into the queue, without a group. */
export const join = (queue: Pick<SimpleQueue, "entries" | "pulls">, number: number): void => {
  if (queue.entries.some((entry) => entry.number === number) || queue.pulls.get(number)?.state === "merged") return
  queue.entries.push({ number, head: `h${number}`, group: null })
  open(queue, number)
}

/** Builds a group for a pull request in the queue: a second one replaces the first. */
export const build = ({ entries }: SimpleQueue, number: number, id: string, tree = `tree-${id}`): void => {
  const index = entries.findIndex((entry) => entry.number === number)
  const entry = entries[index]
  if (entry === undefined) return
  const onto = entries[index - 1]?.group?.id ?? "m0"
  entries[index] = { ...entry, group: { id, tree, onto } }
}

/** Closes the pull request, which takes it out of the queue. */
export const close = (queue: SimpleQueue, number: number): void => {
  remove(queue, number)
  const pull = queue.pulls.get(number)
  if (pull?.state === "open") queue.pulls.set(number, { ...pull, state: "closed" })
}

/** Opens a pull request. */
export const open = ({ pulls }: Pick<SimpleQueue, "pulls">, number: number): void => {
  pulls.set(number, {
    number,
    head: `h${number}`,
    base: "main",
    state: "open",
    draft: false,
    mergeable: true,
    approved: true,
    labels: [],
    landed: null,
    removal: null
  })
}

/** Merges the pull request as a tree. */
export const land = (queue: SimpleQueue, number: number, tree: string): void => {
  const isQueued = queue.entries.some((entry) => entry.number === number)
  remove(queue, number)
  const pull = queue.pulls.get(number)
  if (isQueued && pull !== undefined)
    queue.pulls.set(number, { ...pull, state: "merged", landed: { sha: `m${number}`, tree } })
}

/** Takes a pull request out of the queue, as the platform does after a failure or a silent check. */
export const evict = (queue: SimpleQueue, number: number): void => remove(queue, number)

/** Sets the state of the check `unit` of a commit. */
export const check = ({ checks }: SimpleQueue, sha: string, state: Observation.Check["state"], attempt = 1): void => {
  checks.set(sha, [{ name: "unit", state, attempt }])
}
