/** A repository at GitHub for trials, as the platform of the suite: people and CI act on it by requests with a token. */
import type { Repository } from "@lazaret/domain"
import type { Platform, QueuePlatform, Shown } from "@lazaret/forge-conformance"
import { Octokit } from "@octokit/core"
import { Data, Effect } from "effect"

/** A repository, where its platform is, and a token that may write to it. */
export interface Target {
  readonly apiUrl: string
  readonly token: string
  readonly ref: Repository.RepositoryRef
}

/** A repository that the suite does not write to, and why. */
export class Refused extends Data.TaggedError("Refused")<{ readonly repository: string; readonly message: string }> {}

/** A request of the suite itself that failed: the case says nothing about the adapter. */
export class Unprepared extends Data.TaggedError("Unprepared")<{ readonly message: string }> {}

/** Branches of the suite are below this one. */
export const prefix = "lazaret-conformance"

/** A trial repository: its two platforms, and the removal of what was made since the last one. */
export interface Scratch {
  readonly platform: Platform["Service"]
  readonly queue: QueuePlatform["Service"]
  readonly clean: Effect.Effect<void>
}

const isNamed = (repository: string): boolean => /(?:^|[-_.])scratch(?:$|[-_.])/iu.test(repository)

const absent = (ability: string) => Effect.die(new Unprepared({ message: `a token alone gives no ${ability}` }))

/**
 * Opens a trial repository.
 *
 * **Details**
 *
 * Refuses a repository whose name does not have the word `scratch`, and one with open pull requests, before any write.
 * `fetch` sends the requests of the suite; `writes` counts those of the adapter.
 */
export const open = Effect.fnUntraced(function* (
  { apiUrl, ref, token }: Target,
  requests: { readonly fetch: typeof fetch; readonly writes: Effect.Effect<number> }
) {
  const at = { owner: ref.owner, repo: ref.repository }
  const refuse = (message: string) => new Refused({ repository: `${ref.owner}/${ref.repository}`, message })
  if (!isNamed(ref.repository)) return yield* refuse("its name does not have the word scratch")
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const kit = new Octokit({ baseUrl: apiUrl, auth: token, userAgent: prefix, log, request: { fetch: requests.fetch } })
  const ask = <A>(send: () => Promise<{ readonly data: A }>) =>
    Effect.map(
      Effect.tryPromise({ try: send, catch: (cause) => new Unprepared({ message: String(cause) }) }),
      ({ data }) => data
    )
  const made = { branches: new Map<string, string>(), pulls: new Map<number, string>() }

  const { default_branch: defaultBranch } = yield* ask(() => kit.request("GET /repos/{owner}/{repo}", at))
  const present = yield* ask(() => kit.request("GET /repos/{owner}/{repo}/pulls", { ...at, state: "open" }))
  if (present.length > 0) return yield* refuse("it has open pull requests")

  let count = 0
  const commit = Effect.gen(function* () {
    const tip = yield* ask(() =>
      kit.request("GET /repos/{owner}/{repo}/git/ref/{ref}", { ...at, ref: `heads/${defaultBranch}` })
    )
    count += 1
    const branch = `${prefix}/${Date.now()}-${count}`
    const created = { ref: `refs/heads/${branch}`, sha: tip.object.sha }
    yield* ask(() => kit.request("POST /repos/{owner}/{repo}/git/refs", { ...at, ...created }))
    made.branches.set(branch, tip.object.sha)
    const content = Buffer.from(branch).toString("base64")
    const file = { path: `${prefix}.txt`, message: `Try ${branch}`, content, branch }
    const { commit: written } = yield* ask(() =>
      kit.request("PUT /repos/{owner}/{repo}/contents/{path}", { ...at, ...file })
    )
    const sha = written.sha ?? ""
    made.branches.set(branch, sha)
    return sha
  })
  const branchOf = (sha: string): string => [...made.branches].findLast(([, head]) => head === sha)?.[0] ?? ""

  const openPull = Effect.fnUntraced(function* (head: string, draft = false) {
    const branch = branchOf(head)
    const opened = { title: `Try ${branch}`, head: branch, base: defaultBranch, draft }
    const { number } = yield* ask(() => kit.request("POST /repos/{owner}/{repo}/pulls", { ...at, ...opened }))
    made.pulls.set(number, branch)
    return number
  })

  const setState = (number: number, state: "open" | "closed") =>
    Effect.asVoid(
      ask(() => kit.request("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", { ...at, pull_number: number, state }))
    )

  const push = Effect.fnUntraced(function* (pull: number, head: string) {
    const moved = { ref: `heads/${made.pulls.get(pull) ?? ""}`, sha: head, force: true }
    yield* ask(() => kit.request("PATCH /repos/{owner}/{repo}/git/refs/{ref}", { ...at, ...moved }))
  })

  const opened = (draft: boolean) =>
    Effect.orDie(Effect.flatMap(commit, (head) => Effect.map(openPull(head, draft), (number) => ({ number, head }))))

  /** The newest status with a name on a commit. */
  const statusOf = (sha: string, name: string) =>
    Effect.map(
      ask(() => kit.request("GET /repos/{owner}/{repo}/commits/{ref}/statuses", { ...at, ref: sha, per_page: 100 })),
      (statuses) => statuses.find(({ context }) => context === name)
    )

  const conclusionOf = (state: string): Shown["conclusion"] =>
    state === "pending" ? null : state === "success" ? "success" : "failure"

  const platform: Platform["Service"] = {
    ref,
    unknown: { owner: ref.owner, repository: `${ref.repository}-does-not-exist` },
    defaultBranch,
    showsProgress: true,
    secrets: [token],
    commit: Effect.orDie(commit),
    openPull: (head) => Effect.orDie(openPull(head)),
    push: (pull, head) => Effect.orDie(push(pull, head)),
    shown: (sha) =>
      Effect.map(statusOf(sha, "Lazaret"), (status) =>
        status === undefined ? null : { conclusion: conclusionOf(status.state), title: status.description ?? "" }
      ).pipe(Effect.orDie),
    notes: (pull) =>
      Effect.map(
        ask(() =>
          kit.request("GET /repos/{owner}/{repo}/issues/{issue_number}/comments", {
            ...at,
            issue_number: pull,
            per_page: 100
          })
        ),
        (notes) => notes.map(({ body }) => body ?? "")
      ).pipe(Effect.orDie),
    noteOfOthers: () => absent("second account"),
    failRun: () => absent("runs of workflows"),
    writes: requests.writes,
    fail: () => absent("failures on demand"),
    heal: Effect.void
  }

  const queue: QueuePlatform["Service"] = {
    ref,
    branch: defaultBranch,
    openPull: opened(false),
    openDraft: opened(true),
    push: (number) => Effect.orDie(Effect.tap(commit, (head) => push(number, head))),
    close: (number) => Effect.orDie(setState(number, "closed")),
    reopen: (number) => Effect.orDie(setState(number, "open")),
    status: (sha, context, state) =>
      Effect.orDie(
        Effect.asVoid(
          ask(() => kit.request("POST /repos/{owner}/{repo}/statuses/{sha}", { ...at, sha, context, state }))
        )
      ),
    shown: (sha) =>
      Effect.map(statusOf(sha, "lazaret/queue"), (status) =>
        status === undefined ? undefined : conclusionOf(status.state)
      ).pipe(Effect.orDie),
    enter: () => absent("merge queue"),
    leave: () => absent("merge queue"),
    protect: () => absent("rules of branches"),
    rename: absent("renaming of the repository"),
    build: absent("merge queue"),
    merge: absent("merge queue"),
    advance: () => absent("pushes to the default branch"),
    check: () => absent("check runs"),
    workflow: () => absent("runs of workflows"),
    finish: () => absent("runs of workflows"),
    age: () => absent("another time"),
    pass: absent("another time"),
    failWrite: () => absent("faults"),
    attempts: () => absent("runs of workflows"),
    isCancelled: () => absent("runs of workflows"),
    permit: () => absent("second account"),
    grant: () => absent("permissions to change"),
    archive: () => absent("repository to archive"),
    suspend: () => absent("app to suspend"),
    fail: () => absent("failures on demand")
  }

  /** A branch that cannot be removed is left for a person: no case is broken by it. */
  const clean = Effect.gen(function* () {
    for (const number of made.pulls.keys()) yield* Effect.ignore(setState(number, "closed"))
    for (const branch of made.branches.keys()) {
      const gone = { ...at, ref: `heads/${branch}` }
      yield* Effect.ignore(ask(() => kit.request("DELETE /repos/{owner}/{repo}/git/refs/{ref}", gone)))
    }
    made.pulls.clear()
    made.branches.clear()
  })

  return { platform, queue, clean } satisfies Scratch
})
