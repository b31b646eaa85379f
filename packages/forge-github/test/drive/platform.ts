/** A hosting platform without its network, over a history: pull requests, checks, merges, and crashes between its writes. */
import type { History } from "@lazaret/forge-simulated"
import type { Observation, Preflight } from "@lazaret/queue"
import { DriveForge, Forge, ForgeError, type Landed, type PullSnapshot, QueueForge } from "@lazaret/services"
import { Effect, Option } from "effect"

/** A pull request at the platform. */
export interface Pull extends Omit<PullSnapshot, "approved" | "labels" | "landed" | "mergeable" | "removal"> {
  head: string
  base: string
  state: "open" | "closed" | "merged"
  draft: boolean
  approved: boolean
  labels: ReadonlyArray<string>
  landed: string | null
  readonly title: string
}

/** The checks of a commit: the attempt, and the state of each by name. */
export interface Runs {
  attempt: number
  readonly checks: Map<string, Observation.Check["state"]>
}

/** A batch that was built: each member with its step. */
type Built = ReadonlyArray<{
  readonly number: number
  readonly head: string
  readonly commit: string
  readonly tree: string
}>

/** A pull request that landed. `isTested`: the commit of its batch was green. */
export interface Landing {
  readonly number: number
  readonly head: string
  readonly isTested: boolean
}

/**
 * The platform.
 *
 * **Details**
 *
 * - `built`: the batches that were built. `landings`: who landed at which head, and whether that had passed as it landed. `point` is
 *   passed before and after each write.
 * - `refuses`: the words with which the base branch refuses every landing. `wrongly`: a merge gets another tree.
 * - `pushAt`: somebody pushes to the base branch right before the next landing, or to a pull request right after it was read.
 * - `isReadOnly`: every write is refused. `forbids`: the pull requests that the platform lets nobody merge, as those that change workflows without the permission for it.
 * - `computing`: the pull requests for which the platform does not say whether they can be merged. `losesAt`: the answer of the landing
 *   with this number is lost.
 */
export interface Platform {
  readonly history: History.History
  readonly pulls: Map<number, Pull>
  readonly runs: Map<string, Runs>
  readonly rules: Array<Preflight.BranchRule>
  readonly comments: Map<number, Array<string>>
  readonly cancelled: Set<string>
  readonly built: Array<Built>
  readonly landings: Array<Landing>
  point: Effect.Effect<void>
  refuses: string | null
  wrongly: boolean
  isDown: boolean
  isReadOnly: boolean
  pushAt: "land" | "read" | null
  losesAt: number | null
  readonly computing: Set<number>
  readonly forbids: Set<number>
}

const nobody = { tree: "", parents: [], message: "first", author: null }

/** A platform whose base branch has one commit. */
export const make = (history: History.History): Platform => {
  const tree = history.tree(null, { readme: "hello" })
  history.move("main", { from: null, to: history.write({ ...nobody, tree }) })
  return {
    history,
    pulls: new Map(),
    runs: new Map(),
    rules: [{ kind: "required_check", name: "unit", isOurs: false }],
    comments: new Map(),
    cancelled: new Set(),
    built: [],
    landings: [],
    point: Effect.void,
    refuses: null,
    wrongly: false,
    isDown: false,
    isReadOnly: false,
    pushAt: null,
    losesAt: null,
    computing: new Set(),
    forbids: new Set()
  }
}

/** The tip of the base branch. */
export const tipOf = ({ history }: Platform): string => history.branches().get("main") ?? ""

/** Commits files onto a commit. */
export const commit = (
  { history }: Platform,
  parent: string,
  files: Readonly<Record<string, string>>,
  author: History.Author | null = null
): string =>
  history.write({
    tree: history.tree(history.commit(parent)?.tree ?? null, files),
    parents: [parent],
    message: `change ${Object.keys(files).join(" ")}`,
    author
  })

/** Opens a pull request on the tip of the base branch, or on another commit; its file is called `p1` for number 1. */
export const open = (
  platform: Platform,
  number: number,
  files: Readonly<Record<string, string>> = { [`p${number}`]: "new" },
  onto = tipOf(platform)
): Pull => {
  const author = { name: `Author ${number}`, email: `author${number}@example.com` }
  const head = commit(platform, onto, files, author)
  const pull: Pull = {
    number,
    title: `Change ${number}`,
    head,
    base: "main",
    state: "open",
    draft: false,
    approved: true,
    labels: [],
    landed: null
  }
  platform.pulls.set(number, pull)
  return pull
}

/** Somebody pushes past the queue. */
export const pushBase = (platform: Platform, files: Readonly<Record<string, string>>): string => {
  const sha = commit(platform, tipOf(platform), files)
  move(platform, sha)
  return sha
}

/** Its author pushes to a pull request. */
export const pushHead = (platform: Platform, number: number): void => {
  const pull = platform.pulls.get(number)
  if (pull !== undefined) pull.head = commit(platform, pull.head, { more: `of ${number}` })
}

/** Somebody merges a pull request past the queue. */
export const mergeByHand = (platform: Platform, number: number): void => {
  const head = platform.pulls.get(number)?.head ?? ""
  const tip = tipOf(platform)
  const tree = platform.history.merge(tip, head)
  const merge = { parents: [tip, head], message: `Merge #${number}`, author: null }
  move(platform, tree === null ? head : platform.history.write({ ...merge, tree }))
}

/** Moves the base branch; pull requests whose head it holds are merged then. */
const move = (platform: Platform, to: string): void => {
  platform.history.move("main", { from: undefined, to })
  for (const pull of platform.pulls.values()) {
    if (pull.state !== "open" || !platform.history.contains(to, pull.head)) continue
    Object.assign(pull, { state: "merged", landed: to })
  }
}

const treeOf = ({ history }: Platform, sha: string): string => history.commit(sha)?.tree ?? ""

const isMergeable = (platform: Platform, { head, state }: Pull): boolean => {
  const { history } = platform
  const tip = tipOf(platform)
  return state !== "open" || history.contains(tip, head) || history.merge(tip, head) !== null
}

const snapshotOf = (platform: Platform, pull: Pull): PullSnapshot => {
  return {
    ...pull,
    mergeable: platform.computing.has(pull.number) ? null : isMergeable(platform, pull),
    landed: pull.landed === null ? null : { sha: pull.landed, tree: treeOf(platform, pull.landed) },
    removal: null
  }
}

const checksOf = ({ runs }: Platform, sha: string): ReadonlyArray<Observation.Check> => {
  const run = runs.get(sha)
  return run === undefined ? [] : [...run.checks].map(([name, state]) => ({ name, state, attempt: run.attempt }))
}

/** Whether all checks have passed of a commit with the tree of this one. */
const isGreen = (platform: Platform, landing: string): boolean => {
  const tree = treeOf(platform, landing)
  return [...platform.runs].some(
    ([sha, { checks }]) => treeOf(platform, sha) === tree && [...checks.values()].every((state) => passed.has(state))
  )
}

const passed: ReadonlySet<string> = new Set(["success", "neutral", "skipped"])

/** The ports of the platform. */
export const portsOf = (platform: Platform) => {
  const { history, pulls, runs } = platform
  const unavailable = new ForgeError({
    operation: "any",
    owner: "acme",
    repository: "widgets",
    reason: "unavailable",
    retryAt: null,
    message: "the platform is down"
  })
  const forbidden = new ForgeError({
    ...unavailable,
    reason: "refused",
    message:
      "403 refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission"
  })
  const readOnly = new ForgeError({
    ...unavailable,
    reason: "refused",
    message: "403 Repository was archived so is read-only."
  })
  const read = <A>(answer: () => A) =>
    Effect.suspend(() => (platform.isDown ? Effect.fail(unavailable) : Effect.sync(answer)))
  const write = <A>(effect: () => A) =>
    Effect.suspend(() => platform.point).pipe(
      Effect.andThen(Effect.suspend(() => (platform.isReadOnly ? Effect.fail(readOnly) : read(effect)))),
      Effect.tap(() => Effect.suspend(() => platform.point))
    )
  const landed = (sha: string): Landed => ({ kind: "landed", sha, tree: treeOf(platform, sha) })
  const queue = QueueForge.of({
    pull: (_, number) =>
      read(() => {
        const found = Option.map(Option.fromUndefinedOr(pulls.get(number)), (pull) => snapshotOf(platform, pull))
        if (platform.pushAt === "read") {
          platform.pushAt = null
          pushHead(platform, number)
        }
        return found
      }),
    openPulls: (_, branch) =>
      read(() =>
        [...pulls.values()]
          .filter(({ base, state }) => state === "open" && base === branch)
          .map((pull) => ({ ...snapshotOf(platform, pull), checks: checksOf(platform, pull.head) }))
      ),
    checks: (_, sha) => read(() => checksOf(platform, sha)),
    queue: () => Effect.succeedNone,
    tip: (_, branch, known) =>
      read(() => {
        const sha = history.branches().get(branch)
        if (sha === undefined) return Option.none()
        const isRewritten = known !== null && !history.contains(sha, known)
        return Option.some({ sha, tree: treeOf(platform, sha), isRewritten })
      }),
    rules: () => read(() => platform.rules),
    permission: () => Effect.succeed("none"),
    sweepAt: () => Effect.succeed(0),
    setCheck: () => Effect.void,
    runsInProgress: () => Effect.succeed(false),
    rerun: (_, { attempt, sha }) =>
      write(() => {
        const run = runs.get(sha)
        if (run === undefined) return "none"
        if (run.attempt <= attempt) {
          run.attempt += 1
          for (const [name, state] of run.checks) if (state !== "success") run.checks.set(name, "pending")
        }
        return "started"
      }),
    cancel: (_, sha) => write(() => void platform.cancelled.add(sha)),
    cancelChecks: (_, sha) =>
      Effect.as(
        write(() => void platform.cancelled.add(sha)),
        true
      ),
    enqueue: () => Effect.void,
    dequeue: () => Effect.void
  })
  const drive = DriveForge.of({
    host: Effect.succeed("github.test"),
    describe: (_, number) =>
      read(() =>
        Option.map(Option.fromUndefinedOr(pulls.get(number)), ({ head, title }) => ({
          number,
          reference: `#${number}`,
          title,
          body: "",
          login: "ada",
          url: `https://github.test/${number}`,
          authors: [history.commit(head)?.author ?? { name: "ada", email: "ada@example.com" }]
        }))
      ),
    build: Effect.fnUntraced(function* (_, { inPlace, members, onto, squash }) {
      if (members.some(({ number }) => platform.forbids.has(number))) return yield* forbidden
      return yield* write(() => {
        const base = history.commit(onto)
        if (base === null) return Option.none()
        const [first] = members
        const isFresh = first !== undefined && members.length === 1 && history.contains(first.head, onto)
        if (inPlace && isFresh && first.head !== onto) {
          const step = { number: first.number, commit: first.head, tree: treeOf(platform, first.head) }
          platform.built.push([{ ...step, head: first.head }])
          return Option.some({ steps: [step], conflicts: [], contained: [] })
        }
        const steps = []
        const conflicts = []
        const contained = []
        let at = { commit: onto, tree: base.tree }
        for (const { head, message, number } of members) {
          const isContained = history.contains(at.commit, head)
          const tree = isContained ? at.tree : history.merge(at.commit, head)
          if (tree === null) {
            conflicts.push(number)
            continue
          }
          if (isContained) contained.push(number)
          else {
            const parents = squash ? [at.commit] : [at.commit, head]
            const { author, body, title } = message
            at = { tree, commit: history.write({ tree, parents, message: `${title}\n\n${body}`.trim(), author }) }
          }
          steps.push({ number, ...at })
        }
        platform.built.push(
          steps.map((step) => ({ ...step, head: members.find(({ number }) => number === step.number)?.head ?? "" }))
        )
        return Option.some({ steps, conflicts, contained })
      })
    }),
    publish: (_, { name, sha }) =>
      write(() => {
        const present = history.branches().get(name)
        if (present !== undefined) return present === sha
        history.move(name, { from: null, to: sha })
        // A new branch starts new runs, also at a commit that had some.
        runs.delete(sha)
        return true
      }),
    branches: (_, prefix) =>
      read(() => [...history.branches()].flatMap(([name, sha]) => (name.startsWith(prefix) ? [{ name, sha }] : []))),
    discard: (_, branch) =>
      write(() => {
        const sha = history.branches().get(branch)
        if (sha !== undefined) platform.cancelled.add(sha)
        history.move(branch, { from: undefined, to: null })
      }),
    land: (_, { from, to }) =>
      write((): Landed => {
        if (platform.pushAt === "land") {
          platform.pushAt = null
          pushBase(platform, { pushed: "by somebody" })
        }
        const tip = tipOf(platform)
        if (history.contains(tip, to)) return landed(to)
        if (tip !== from) return { kind: "moved", what: "base" }
        if (platform.refuses !== null) return { kind: "refused", detail: platform.refuses }
        if (!history.contains(to, from)) return { kind: "refused", detail: "not a fast forward" }
        const batch = platform.built.find((each) => each.at(-1)?.commit === to) ?? []
        for (const { head, number } of batch) platform.landings.push({ number, head, isTested: isGreen(platform, to) })
        move(platform, to)
        return landed(to)
      }),
    merge: (_, { head, message, method, number }) =>
      write((): Landed => {
        const pull = pulls.get(number)
        if (pull === undefined || pull.head !== head) return { kind: "moved", what: "head" }
        if (pull.landed !== null) return landed(pull.landed)
        if (platform.refuses !== null) return { kind: "refused", detail: platform.refuses }
        const tip = tipOf(platform)
        const tree = history.merge(tip, head)
        if (pull.state !== "open" || tree === null) return { kind: "refused", detail: "not mergeable" }
        const batches = platform.built.filter((each) =>
          each.some((step) => step.number === number && step.tree === tree)
        )
        const isTested = batches.some((each) => isGreen(platform, each.at(-1)?.commit ?? ""))
        platform.landings.push({ number, head, isTested })
        const sha = history.write({
          tree: platform.wrongly ? history.tree(tree, { surprise: "!" }) : tree,
          parents: method === "merge" ? [tip, head] : [tip],
          message: message?.title ?? `Merge #${number}`,
          author: null
        })
        Object.assign(pull, { state: "merged", landed: sha })
        move(platform, sha)
        return landed(sha)
      }).pipe(
        Effect.filterOrFail(
          () => platform.losesAt === null || platform.landings.length !== platform.losesAt,
          () => {
            platform.losesAt = null
            return unavailable
          }
        )
      ),
    close: (_, number) =>
      write(() => {
        const pull = pulls.get(number)
        if (pull?.state === "open") pull.state = "closed"
      })
  })
  const notes = {
    notes: (_: unknown, number: number, marker: string) =>
      read(() =>
        (platform.comments.get(number) ?? []).flatMap((body, id) => (body.startsWith(marker) ? [{ id, body }] : []))
      ),
    createNote: (_: unknown, number: number, body: string) =>
      write(() => void platform.comments.set(number, [...(platform.comments.get(number) ?? []), body])),
    editNote: (_: unknown, number: number, { body, id }: { readonly id: number; readonly body: string }) =>
      write(() => {
        const all = [...(platform.comments.get(number) ?? [])]
        all[id] = body
        platform.comments.set(number, all)
      })
  }
  const unused = () => Effect.die("not used")
  const forge = Forge.of({
    ...notes,
    repository: unused,
    pullsAt: unused,
    openPulls: unused,
    publish: unused,
    removeNote: unused,
    rerunFailedJobs: unused
  })
  return { queue, drive, forge }
}
