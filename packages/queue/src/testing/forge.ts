/**
 * A hosting platform in memory, for tests of the merge queue: heads, trees, checks and a compare-and-set landing.
 *
 * **Details**
 *
 * A commit is the set of changes it holds; its tree is named by that set, so equal contents are equal trees whatever the
 * order in which they were merged. The forge is plain data that its operations change in place: `structuredClone` is a
 * snapshot. Its counter of changes is the version of every read.
 */
import type * as EngineCommand from "../engine/EngineCommand.ts"
import type * as EngineEvent from "../engine/EngineEvent.ts"
import type { Check, Member, Pull, Tip } from "../engine/Observation.ts"

/** A commit: its first parent and the changes it holds, sorted. */
export interface Commit {
  readonly parent: string | null
  readonly contents: ReadonlyArray<string>
}

/** The checks of a commit. `attempt` counts the runs; passed checks keep theirs. */
export interface CheckRuns {
  attempt: number
  checks: Array<Check>
}

/** A pull request at the forge. */
export interface ForgePull {
  head: string
  state: "open" | "closed" | "merged"
  draft: boolean
  approved: boolean
  blockedBy: string | null
  base: string
}

/** A landing: its members, the trees before and after it, and the tested commit. */
export interface ForgeLanding {
  readonly members: ReadonlyArray<Member>
  readonly before: string
  readonly after: string
  readonly sha: string
  readonly seq: number
}

/** The forge. `conflicts` are pairs of changes that cannot be merged, `checks` the names that run on every commit. */
export interface Forge {
  version: number
  commits: Record<string, Commit>
  base: string
  branches: Record<string, string>
  pulls: Record<number, ForgePull>
  runs: Record<string, CheckRuns>
  landings: Array<ForgeLanding>
  comments: Array<{ readonly number: number; readonly text: string }>
  readonly conflicts: ReadonlyArray<readonly [string, string]>
  readonly checks: ReadonlyArray<string>
}

/** The outcome of a command at the forge. */
export type ForgeOutcome =
  | { readonly kind: "done"; readonly answer: EngineCommand.Answer }
  | { readonly kind: "refused"; readonly refusal: EngineCommand.RefusalReason; readonly base: Tip | null }

/** A forge with a base branch, and these names of checks. */
export const makeForge = (
  checks: ReadonlyArray<string>,
  conflicts: ReadonlyArray<readonly [string, string]> = []
): Forge => ({
  version: 1,
  commits: { m0: { parent: null, contents: [] } },
  base: "m0",
  branches: {},
  pulls: {},
  runs: {},
  landings: [],
  comments: [],
  conflicts,
  checks
})

/** The tree of a commit. */
export const treeOf = (forge: Forge, sha: string): string => `t(${contentsOf(forge, sha).join(" ")})`

/** The changes that a commit holds. */
export const contentsOf = (forge: Forge, sha: string): ReadonlyArray<string> => forge.commits[sha]?.contents ?? []

/** Opens a pull request, or pushes a new head to it. */
export const push = (forge: Forge, number: number, head: string): void => {
  forge.version += 1
  forge.commits[head] = { parent: forge.base, contents: withChange(contentsOf(forge, forge.base), head) }
  const present = forge.pulls[number]
  if (present === undefined) {
    const fresh = { draft: false, approved: true, blockedBy: null, base: "main" }
    forge.pulls[number] = { head, state: "open", ...fresh }
  } else if (present.state === "open") present.head = head
}

/** Changes what people can change about an open pull request. */
export const edit = (forge: Forge, number: number, change: Partial<ForgePull>): void => {
  const pull = forge.pulls[number]
  if (pull === undefined || pull.state !== "open") return
  forge.version += 1
  Object.assign(pull, change)
}

/** A push past the queue: a commit with a change of its own, or an empty one. */
export const pushBase = (forge: Forge, change: string | null): void => {
  const contents = contentsOf(forge, forge.base)
  const sha = commit(forge, { parent: forge.base, contents: change === null ? contents : withChange(contents, change) })
  forge.base = sha
}

const withChange = (contents: ReadonlyArray<string>, change: string): ReadonlyArray<string> =>
  contents.includes(change) ? contents : [...contents, change].sort()

const commit = (forge: Forge, made: Commit): string => {
  forge.version += 1
  const sha = `m${forge.version}`
  forge.commits[sha] = made
  return sha
}

const tip = (forge: Forge): Tip => ({ sha: forge.base, tree: treeOf(forge, forge.base), version: forge.version })

const isAncestor = (forge: Forge, sha: string, of = forge.base): boolean => {
  for (let at: string | null = of; at !== null; at = forge.commits[at]?.parent ?? null) {
    if (at === sha) return true
  }
  return false
}

const conflictsWith = (forge: Forge, contents: ReadonlyArray<string>, change: string): boolean =>
  forge.conflicts.some(([a, b]) => (a === change && contents.includes(b)) || (b === change && contents.includes(a)))

/** The snapshot of a pull request, as of now. */
export const readPull = (forge: Forge, number: number): Pull | null => {
  const pull = forge.pulls[number]
  if (pull === undefined) return null
  const mergeable = pull.state === "open" ? !conflictsWith(forge, contentsOf(forge, forge.base), pull.head) : null
  return { number, ...pull, mergeable, version: forge.version }
}

/** Everything that a sweep reads: the base branch, the pull requests, the checks of every run, the queue branches. */
export const sweep = (forge: Forge): ReadonlyArray<EngineEvent.EngineEvent> => [
  { kind: "base_seen", tip: tip(forge), rewritten: false },
  ...Object.keys(forge.pulls).flatMap((number): ReadonlyArray<EngineEvent.EngineEvent> => {
    const pull = readPull(forge, Number(number))
    return pull === null ? [] : [{ kind: "pull_seen", pull }]
  }),
  ...Object.entries(forge.runs).map(([sha, { checks }]): EngineEvent.EngineEvent => ({
    kind: "checks_seen",
    sha,
    version: forge.version,
    checks: checks.map((check) => ({ ...check }))
  })),
  ...Object.entries(forge.branches).map(([branch, sha]): EngineEvent.EngineEvent => ({
    kind: "branch_seen",
    branch,
    sha,
    version: forge.version
  }))
]

/** Executes a command, as often as it is asked: one that has taken effect is answered as the first time. */
export const execute = (forge: Forge, command: EngineCommand.EngineCommand, seq = 0): ForgeOutcome => {
  switch (command.kind) {
    case "build":
      return build(forge, command)
    case "publish":
      return publish(forge, command)
    case "discard":
      return discard(forge, command)
    case "read":
      return read(forge, command)
    case "rerun":
      return rerun(forge, command)
    case "land":
      return land(forge, command, seq)
    case "merge":
      return merge(forge, command, seq)
    case "tell":
      if (!forge.comments.some(({ number, text }) => number === command.number && text === command.text)) {
        forge.comments.push({ number: command.number, text: command.text })
      }
      return ok
    default:
      return ok
  }
}

const ok: ForgeOutcome = { kind: "done", answer: { kind: "ok" } }

const done = (answer: EngineCommand.Answer): ForgeOutcome => ({ kind: "done", answer })

const refuse = (refusal: EngineCommand.RefusalReason, base: Tip | null = null): ForgeOutcome => ({
  kind: "refused",
  refusal,
  base
})

const build = (forge: Forge, { members, onto }: EngineCommand.Of<"build">): ForgeOutcome => {
  if (forge.commits[onto] === undefined) return refuse("gone")
  const steps: Array<EngineCommand.Step> = []
  const conflicts: Array<number> = []
  const contained: Array<number> = []
  let at = onto
  for (const { head, number } of members) {
    const contents = contentsOf(forge, at)
    if (conflictsWith(forge, contents, head)) {
      conflicts.push(number)
      continue
    }
    if (contents.includes(head)) contained.push(number)
    else at = commit(forge, { parent: at, contents: withChange(contents, head) })
    steps.push({ number, commit: at, tree: treeOf(forge, at) })
  }
  return done({ kind: "built", steps, conflicts, contained })
}

const publish = (forge: Forge, { branch, sha }: EngineCommand.Of<"publish">): ForgeOutcome => {
  if (forge.branches[branch] === sha) return ok
  forge.version += 1
  forge.branches[branch] = sha
  forge.runs[sha] ??= { attempt: 1, checks: forge.checks.map((name) => ({ name, state: "pending", attempt: 1 })) }
  return ok
}

const discard = (forge: Forge, { branch }: EngineCommand.Of<"discard">): ForgeOutcome => {
  const sha = forge.branches[branch]
  if (sha === undefined) return ok
  forge.version += 1
  delete forge.branches[branch]
  const runs = forge.runs[sha]
  if (runs !== undefined && !Object.values(forge.branches).includes(sha)) {
    runs.checks = runs.checks.map((check) => (check.state === "pending" ? { ...check, state: "cancelled" } : check))
  }
  return ok
}

const read = (forge: Forge, { numbers }: EngineCommand.Of<"read">): ForgeOutcome => {
  const pulls = numbers.flatMap((number) => readPull(forge, number) ?? [])
  return done({ kind: "read", pulls, base: tip(forge) })
}

const rerun = (forge: Forge, { attempt, checks, sha }: EngineCommand.Of<"rerun">): ForgeOutcome => {
  const runs = forge.runs[sha]
  if (runs === undefined) return refuse("gone")
  if (runs.attempt > attempt) return ok
  forge.version += 1
  runs.attempt = attempt + 1
  runs.checks = runs.checks.map((check) =>
    checks.includes(check.name) ? { ...check, state: "pending", attempt: runs.attempt } : check
  )
  return ok
}

const land = (forge: Forge, command: EngineCommand.Of<"land">, seq: number): ForgeOutcome => {
  const { from, members, to } = command
  if (isAncestor(forge, to)) return done({ kind: "landed", base: tip(forge) })
  if (forge.base !== from) return refuse("base_moved", tip(forge))
  if (!isAncestor(forge, from, to)) return refuse("not_possible")
  const before = treeOf(forge, forge.base)
  forge.version += 1
  forge.base = to
  forge.landings.push({ members, before, after: treeOf(forge, to), sha: to, seq })
  for (const member of members) close(forge, member)
  return done({ kind: "landed", base: tip(forge) })
}

/** A pull request is merged when the base branch holds its head; one with a newer head stays open. */
const close = (forge: Forge, { head, number }: Member): void => {
  const pull = forge.pulls[number]
  if (pull !== undefined && pull.head === head) pull.state = "merged"
}

const merge = (forge: Forge, command: EngineCommand.Of<"merge">, seq: number): ForgeOutcome => {
  const { from, member } = command
  const pull = forge.pulls[member.number]
  const present = forge.landings.find(
    ({ members }) => members[0]?.number === member.number && members[0].head === member.head
  )
  if (present !== undefined) {
    return done({ kind: "merged", sha: present.sha, tree: present.after, base: tip(forge) })
  }
  if (forge.base !== from) return refuse("base_moved", tip(forge))
  if (pull === undefined || pull.state !== "open" || pull.head !== member.head) return refuse("head_moved")
  const contents = contentsOf(forge, forge.base)
  if (conflictsWith(forge, contents, member.head)) return refuse("not_possible")
  const before = treeOf(forge, forge.base)
  forge.base = commit(forge, { parent: forge.base, contents: withChange(contents, member.head) })
  forge.landings.push({ members: [member], before, after: treeOf(forge, forge.base), sha: forge.base, seq })
  close(forge, member)
  return done({ kind: "merged", sha: forge.base, tree: treeOf(forge, forge.base), base: tip(forge) })
}

/** Ends a check that runs on a commit. */
export const conclude = (forge: Forge, sha: string, name: string, state: Check["state"]): void => {
  const runs = forge.runs[sha]
  if (runs === undefined) return
  forge.version += 1
  runs.checks = runs.checks.map((check) =>
    check.name === name && check.state === "pending" ? { ...check, state } : check
  )
}
