/** A repository at GitHub for trials, as the platform of the suite: people and CI act on it by requests. */
import type { Repository } from "@lazaret/domain"
import type { Need, Platform, QueuePlatform } from "@lazaret/forge-conformance"
import { EngineConfiguration, type Preflight } from "@lazaret/queue"
import { type QueueEntry, QueueForge, ScratchForge } from "@lazaret/services"
import { Clock, Context, Data, Effect, Option, Redacted, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { GitHub, GitHubClient, type GitHubCredentials } from "../../src/index.ts"
import * as GitHubCommits from "../../src/GitHubCommits.ts"
import * as Hands from "./Hands.ts"

type Credentials = GitHubCredentials.GitHubCredentials

/**
 * A repository and where its platform is.
 *
 * **Details**
 *
 * `adapter` are the credentials of the adapter under test, `people` those by which people act. With an app and a token the adapter is
 * the app, and people have the token.
 */
export interface Target {
  readonly apiUrl: string
  readonly ref: Repository.RepositoryRef
  readonly adapter: Credentials
  readonly people: Credentials
}

/** A target that the suite does not write to, and why. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** A step of the suite itself that this platform cannot take: the case says nothing about the adapter. */
export class Unprepared extends Data.TaggedError("Unprepared")<{ readonly message: string }> {}

/** Branches of the suite are below this one. */
export const prefix = "lazaret-conformance"

/**
 * A trial repository.
 *
 * **Details**
 *
 * `able` are the needs of cases that it fulfils. `queue` is its platform for a case with these needs, on branches of the case's own; the
 * cases of the merge queue use the default branch, and their heads have the check that lets them into the queue. `clean` removes what
 * was made since the last one.
 */
export interface Scratch {
  readonly able: ReadonlySet<Need>
  readonly platform: Platform["Service"]
  readonly queue: (needs: ReadonlyArray<Need>) => Effect.Effect<QueuePlatform["Service"]>
  readonly clean: Effect.Effect<void>
}

const isNamed = (repository: string): boolean => /(?:^|[-_.])scratch(?:$|[-_.])/iu.test(repository)

const absent = (need: Need) => Effect.die(new Unprepared({ message: `the case does not name its need: ${need}` }))

/** The number of groups that GitHub builds at a time unless a rule says otherwise. */
const built = 5

/** Whether the queue has built all that it builds: each group stands on the one ahead. */
const isSettled = (entries: ReadonlyArray<QueueEntry>): boolean =>
  entries
    .slice(0, built)
    .every(
      ({ group }, index) => group !== null && (index === 0 || group.onto === (entries[index - 1]?.group?.id ?? ""))
    )

/** Whether requests are spaced as GitHub recommends. */
export const isPaced = (apiUrl: string): boolean => !apiUrl.includes("//127.0.0.1")

/** The needs that credentials and rules fulfil. */
const abilitiesOf = ({ adapter, people }: Target, hasQueue: boolean): ReadonlySet<Need> =>
  new Set<Need>([
    ...(hasQueue ? (["queue"] as const) : []),
    ...(adapter._tag === "App" ? (["app", "checks"] as const) : []),
    ...(adapter._tag === "App" && people._tag === "Token" ? (["others"] as const) : [])
  ])

/**
 * Opens a trial repository.
 *
 * **Details**
 *
 * Refuses a repository whose name does not have the word `scratch`, and one with open pull requests, before any write. `writes` is the
 * number of requests that wrote. The merge queue of the default branch is used when the one check that its rules require is
 * `lazaret/queue`.
 */
export const open = Effect.fnUntraced(function* (target: Target, writes: Effect.Effect<number>) {
  const { apiUrl, people, ref } = target
  const refuse = (message: string) => new Refused({ message })
  if (!isNamed(ref.repository)) return yield* refuse("its name does not have the word scratch")
  const connection = { apiUrl, credentials: people, isPaced: isPaced(apiUrl) }
  const client = yield* GitHubClient.make(connection)
  const ports = yield* GitHub.make(connection)
  const [forge, maker] = [Context.get(ports, QueueForge), Context.get(ports, ScratchForge)]
  const hands = Hands.make(client, ref)
  /** Only an app may write check runs. */
  const ci = Hands.make(yield* GitHubClient.make({ ...connection, credentials: target.adapter }), ref)
  const { default_branch: defaultBranch } = yield* hands.repository
  if ((yield* hands.pulls).length > 0) return yield* refuse("it has open pull requests")
  const clock = yield* Clock.Clock
  /** Waits in real time for what GitHub does by itself; cases run under a test clock. */
  const isSoon = <E>(condition: Effect.Effect<boolean, E>, what: string): Effect.Effect<void> =>
    Effect.filterOrFail(
      condition,
      (isTrue) => isTrue,
      () => new Unprepared({ message: `GitHub did not ${what} in time` })
    ).pipe(
      Effect.retry({ times: 60, schedule: Schedule.spaced(isPaced(apiUrl) ? "3 seconds" : "20 millis") }),
      Effect.provideService(Clock.Clock, clock),
      Effect.asVoid,
      Effect.orDie
    )
  const able = abilitiesOf(target, isOwnQueue(yield* forge.rules(ref, defaultBranch)))

  const made = { branches: new Map<string, string>(), pulls: new Map<number, string>() }
  let count = 0
  const branchOf = Effect.fnUntraced(function* (sha: string) {
    count += 1
    const branch = `${prefix}/${Date.now()}-${count}`
    yield* GitHubCommits.createBranch(client, ref, branch, sha)
    made.branches.set(branch, sha)
    return branch
  })

  /** A commit on a branch of its own; no two change the same file, so that they merge. */
  const commit = Effect.gen(function* () {
    const parent = yield* maker.first(ref)
    const file = `${prefix}/${Date.now()}-${count + 1}.txt`
    const sha = yield* maker.commit(ref, { parent, files: { [file]: file }, message: `Try ${file}` })
    yield* branchOf(sha)
    return sha
  })

  const openPull = Effect.fnUntraced(function* (head: string, base: string, draft = false) {
    const branch = [...made.branches].findLast(([, sha]) => sha === head)?.[0] ?? ""
    const number = yield* hands.openPull({ head: branch, base, draft })
    made.pulls.set(number, branch)
    return number
  })

  const push = (number: number, head: string) => hands.moveBranch(made.pulls.get(number) ?? "", head)

  const platform: Platform["Service"] = {
    ref,
    unknown: { owner: ref.owner, repository: `${ref.repository}-does-not-exist` },
    defaultBranch,
    showsProgress: true,
    secrets: [target.adapter, people].flatMap((each) => (each._tag === "Token" ? [Redacted.value(each.token)] : [])),
    commit: Effect.orDie(commit),
    openPull: (head) => Effect.orDie(openPull(head, defaultBranch)),
    push: (pull, head) => Effect.orDie(push(pull, head)),
    shown: (sha) => Effect.orDie(Effect.map(hands.shown(sha, "Lazaret"), (shown) => shown ?? null)),
    notes: (pull) => Effect.orDie(hands.notes(pull)),
    noteOfOthers: (pull, body) => Effect.orDie(hands.note(pull, body)),
    failRun: () => absent("runs"),
    writes,
    fail: () => absent("faults"),
    heal: Effect.void
  }

  const entries = (branch: string) => Effect.map(forge.queue(ref, branch), Option.getOrElse(none))
  const settled = (branch: string) => isSoon(Effect.map(entries(branch), isSettled), "build the groups")
  const isGone = (branch: string, number: number) =>
    Effect.map(entries(branch), (found) => found.every((entry) => entry.number !== number))
  const own = (sha: string) =>
    forge.setCheck(ref, { name: EngineConfiguration.ownCheck, sha, conclusion: "success", title: "Passed", url: null })

  const queue = Effect.fnUntraced(function* (needs: ReadonlyArray<Need>) {
    const isQueued = needs.includes("queue")
    const branch = isQueued ? defaultBranch : yield* Effect.flatMap(maker.first(ref), branchOf)
    const tips: Array<string> = []
    const enterable = (sha: string) => (isQueued ? own(sha) : Effect.void)
    const opened = (draft: boolean) =>
      Effect.gen(function* () {
        const head = yield* commit
        const number = yield* openPull(head, branch, draft)
        yield* enterable(head)
        return { number, head }
      })
    const steps: QueuePlatform["Service"] = {
      ref,
      branch,
      openPull: Effect.orDie(opened(false)),
      openDraft: Effect.orDie(opened(true)),
      push: (number) =>
        Effect.gen(function* () {
          const head = yield* commit
          yield* push(number, head)
          yield* enterable(head)
          if (isQueued) yield* isSoon(isGone(branch, number), "take out a pull request with a new head")
          return head
        }).pipe(Effect.orDie),
      close: (number) => Effect.orDie(Effect.asVoid(hands.setState(number, "closed"))),
      reopen: (number) => Effect.orDie(Effect.asVoid(hands.setState(number, "open"))),
      status: (...status) => Effect.orDie(hands.status(...status)),
      check: (sha, name, conclusion) => Effect.orDie(ci.check(sha, name, conclusion)),
      shown: (sha) =>
        Effect.orDie(Effect.map(hands.shown(sha, EngineConfiguration.ownCheck), (shown) => shown?.conclusion)),
      enter: (number) =>
        Effect.gen(function* () {
          const pull = yield* forge.pull(ref, number)
          yield* forge.enqueue(ref, { number, head: Option.getOrThrow(pull).head })
        }).pipe(Effect.orDie),
      leave: (number) => Effect.orDie(forge.dequeue(ref, number)),
      build: settled(branch),
      merge: Effect.gen(function* () {
        yield* settled(branch)
        const [first] = yield* entries(branch)
        if (first?.group === undefined || first.group === null) return
        yield* own(first.group.id)
        yield* isSoon(isGone(branch, first.number), "merge the group")
      }).pipe(Effect.orDie),
      advance: (isForced) =>
        Effect.gen(function* () {
          const parent = tips.at(isForced ? -2 : -1) ?? (yield* maker.first(ref))
          const file = `${prefix}/${(count += 1)}.txt`
          const sha = yield* maker.commit(ref, { parent, files: { [file]: file }, message: `Advance ${file}` })
          yield* hands.moveBranch(branch, sha)
          tips.push(sha)
          return sha
        }).pipe(Effect.orDie),
      attempts: (sha) => Effect.orDie(hands.attempts(sha)),
      pass: TestClock.adjust("5 minutes"),
      protect: () => absent("rules"),
      lag: absent("time"),
      rename: absent("rename"),
      transfer: absent("transfer"),
      install: absent("transfer"),
      workflow: () => absent("runs"),
      finish: () => absent("runs"),
      age: () => absent("time"),
      failWrite: () => absent("faults"),
      isCancelled: () => absent("runs"),
      permit: () => absent("accounts"),
      grant: () => absent("owner"),
      archive: () => absent("owner"),
      suspend: () => absent("owner"),
      fail: () => absent("faults")
    }
    return steps
  }, Effect.orDie)

  /** A branch that cannot be removed is left for a person: no case is broken by it. */
  const clean = Effect.gen(function* () {
    for (const number of made.pulls.keys()) yield* Effect.ignore(hands.setState(number, "closed"))
    for (const branch of made.branches.keys()) yield* Effect.ignore(GitHubCommits.removeBranch(client, ref, branch))
    made.pulls.clear()
    made.branches.clear()
    if (!able.has("queue")) return
    const isEmpty = Effect.map(entries(defaultBranch), ({ length }) => length === 0)
    yield* Effect.ignore(isSoon(isEmpty, "empty the queue"))
  })

  return { able, platform, queue, clean } satisfies Scratch
})

const none = (): ReadonlyArray<QueueEntry> => []

/** Whether the suite itself can let pull requests through the merge queue of a branch with these rules. */
const isOwnQueue = (rules: ReadonlyArray<Preflight.BranchRule>): boolean =>
  rules.some(({ kind }) => kind === "merge_queue") &&
  rules.every((rule) => rule.kind !== "required_check" || rule.name === EngineConfiguration.ownCheck)
