/**
 * A simulated GitHub for tests: repositories, pull requests, checks, comments, runs, an app, and its deliveries.
 *
 * @example
 * ```ts
 * import { SimulatedGitHub } from "@lazaret/forge-simulated"
 * import { Effect } from "effect"
 *
 * const names = Effect.gen(function* () {
 *   const github = yield* SimulatedGitHub.start
 *   const repository = github.addRepository({ owner: "acme", name: "widgets" })
 *   github.install("acme")
 *   github.openPull(repository, { head: "c0ffee" })
 *   return github.server.hub.repositories.map(({ name }) => name)
 * })
 * await Effect.runPromise(Effect.scoped(names)) // => ["widgets"]
 * ```
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import * as Delivery from "./Delivery.ts"
import * as Description from "./Description.ts"
import * as GitHubServer from "./GitHubServer.ts"
import * as Hub from "./Hub.ts"
import type { JsonObject } from "./Json.ts"
import { userJson } from "./operations/Operation.ts"
import { pullJson, repositoryJson } from "./operations/Repositories.ts"

/** The options of a repository besides its names. */
export interface RepositoryOptions {
  readonly owner: string
  readonly name: string
  readonly isPrivate?: boolean
  readonly defaultBranch?: string
  readonly files?: Readonly<Record<string, string>>
  readonly tokens?: Readonly<Record<string, "read" | "write">>
}

/** The options of a pull request besides its head commit. */
export interface PullOptions {
  readonly head: string
  readonly title?: string
  readonly base?: string
  readonly isFork?: boolean
}

/** The options of a run of a workflow. */
export type RunOptions = Pick<Hub.WorkflowRun, "headSha"> & Partial<Omit<Hub.WorkflowRun, "id" | "headSha">>

/** A running simulated GitHub with a registered app. */
export interface SimulatedGitHub {
  readonly url: string
  readonly server: GitHubServer.GitHubServer
  readonly app: Hub.App
  readonly addRepository: (options: RepositoryOptions) => Hub.Repository
  /** Gives a repository another name; with an `owner` it is transferred to that account. */
  readonly renameRepository: (repository: Hub.Repository, name: string, owner?: string) => void
  /** The owner of an app grants it more permissions, and every installation accepts. */
  readonly grant: (permissions: Partial<Record<Hub.Permission, "read" | "write">>) => void
  /** Installs an app, the first one when none is named. */
  readonly install: (owner: string, app?: Hub.App) => Hub.Installation
  readonly uninstall: (owner: string) => void
  /** Adds a person, who signs in as the cookie `person` of a browser says. */
  readonly addPerson: (login: string) => { readonly id: number; login: string }
  readonly openPull: (repository: Hub.Repository, options: PullOptions) => Hub.Pull
  readonly mergePull: (repository: Hub.Repository, pull: Hub.Pull, commit: string) => void
  readonly addRun: (repository: Hub.Repository, options: RunOptions) => Hub.WorkflowRun
  /** Puts a delivery about a repository into the outbox; `name` is one such as `pull-request-closed`. */
  readonly enqueue: (repository: Hub.Repository, name: string, members: JsonObject) => Hub.Delivery
  /** Sends what is in the outbox to a receiver, in order of the fates, and yields the statuses of the answers. */
  readonly flush: (
    url: string,
    fates?: ReadonlyArray<Delivery.Fate>,
    by?: Hub.App
  ) => Effect.Effect<ReadonlyArray<number>>
}

let deliveries: Description.Deliveries | null = null

/** Starts one on a free port; it stops with the scope, and a request that GitHub does not describe is then a defect. */
export const start = Effect.map(GitHubServer.start, (server): SimulatedGitHub => {
  const { hub } = server
  const app = Hub.addApp(hub)
  return {
    url: server.url,
    server,
    app,
    ...repositoriesOf(hub),
    grant: (permissions) => {
      app.permissions = { ...app.permissions, ...permissions }
    },
    install: (owner, { id: appId } = app) => {
      const installation = { id: Hub.nextId(hub), appId, owner, isSuspended: false }
      hub.installations.set(installation.id, installation)
      return installation
    },
    uninstall: (owner) => {
      const installation = Hub.installationOf(hub, owner)
      if (installation !== undefined) hub.installations.delete(installation.id)
    },
    addPerson: (login) => {
      const person = { id: Hub.nextId(hub), login }
      hub.people.push(person)
      return person
    },
    enqueue: (repository, name, members) => enqueue(hub, repository, name, members),
    flush: (url, fates = [], by = app) => flush(hub, by, url, fates)
  }
})

const repositoriesOf = (
  hub: Hub.Hub
): Pick<SimulatedGitHub, "addRepository" | "renameRepository" | "openPull" | "mergePull" | "addRun"> => ({
  addRepository: ({ defaultBranch = "main", files = {}, isPrivate = false, name, owner, tokens = {} }) => {
    const repository: Hub.Repository = {
      ...Hub.emptyRepository({ id: Hub.nextId(hub), owner, name }),
      isPrivate,
      defaultBranch,
      files: new Map(Object.entries(files)),
      tokens: new Map(Object.entries(tokens)),
      people: new Map(),
      deletedIssues: new Set(),
      commitTimes: new Map(),
      trees: new Map()
    }
    hub.repositories.push(repository)
    return repository
  },
  renameRepository: (repository, name, owner = repository.owner) => {
    hub.renamed.set(Hub.keyOf(repository.owner, repository.name), repository)
    Object.assign(repository, { name, owner })
  },
  openPull: (repository, { base = repository.defaultBranch, head, isFork = false, title = "Change something" }) => {
    const number = Hub.nextNumber(repository)
    const pull: Hub.Pull = {
      id: Hub.nextId(hub),
      number,
      title,
      user: { id: 7, login: "ada" },
      head: { sha: head, ref: `change-${number}`, isFork },
      base: { sha: "0".repeat(40), ref: base },
      state: "open",
      mergedAt: null,
      mergeCommit: null,
      commits: new Set([head])
    }
    repository.pulls.push(pull)
    return pull
  },
  mergePull: (_, pull, commit) => {
    Object.assign(pull, { state: "closed", mergedAt: Hub.timestamp(hub), mergeCommit: commit })
    pull.commits.add(commit)
  },
  addRun: (repository, options) => {
    const run = {
      id: Hub.nextId(hub),
      suiteId: Hub.nextId(hub),
      name: "CI",
      headBranch: "main",
      status: "completed" as const,
      conclusion: "failure" as const,
      attempt: 1,
      artifacts: [],
      ...options
    }
    repository.runs.push(run)
    return run
  }
})

const enqueue = (hub: Hub.Hub, repository: Hub.Repository, name: string, members: JsonObject): Hub.Delivery => {
  deliveries ??= Description.deliveries("github-deliveries.json")
  const installation = Hub.installationOf(hub, repository.owner)
  const payload = deliveries.payload(name, {
    repository: repositoryJson(repository),
    sender: userJson({ id: 7, login: "ada" }),
    ...(installation === undefined ? {} : { installation: { id: installation.id } }),
    ...members
  })
  const event = name.replace(
    /-(?:closed|renamed|transferred|archived|unarchived|suspend|unsuspend|enqueued|dequeued|opened|labeled|unlabeled|edited|synchronize|reopened|completed|created|deleted|requested-action|rerequested|checks-requested|destroyed)$/u,
    ""
  )
  const delivery = {
    id: Hub.nextId(hub),
    guid: randomUUID(),
    event: event.replaceAll("-", "_"),
    at: Hub.timestamp(hub),
    payload,
    attempts: []
  }
  hub.deliveries.push(delivery)
  return delivery
}

const flush = (hub: Hub.Hub, app: Hub.App, url: string, fates: ReadonlyArray<Delivery.Fate>) => {
  const waiting = hub.deliveries.filter(({ attempts }) => attempts.length === 0)
  for (const [index, each] of waiting.entries()) if (fates[index] === "lost") each.attempts.push(0)
  return Effect.forEach(Delivery.arrivals(waiting, fates), (delivery) =>
    Effect.map(post(url, delivery, app), (status) => {
      delivery.attempts.push(status)
      return status
    })
  )
}

/** The platform waits ten seconds for an answer. */
const post = (url: string, delivery: Hub.Delivery, app: Hub.App): Effect.Effect<number> =>
  Effect.promise((signal) =>
    fetch(url, {
      ...Delivery.request(delivery, app),
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)])
    })
      .then(({ status }) => status)
      .catch(() => 0)
  )

/** A person, or a bot, who writes a comment or sets a label. */
export interface Sender {
  readonly login: string
  readonly isBot?: boolean
}

const senderJson = ({ isBot = false, login }: Sender): JsonObject => userJson({ id: 8, login }, isBot ? "Bot" : "User")

/** Writes a comment on a pull request; the members of the delivery about it. */
export const comment = (
  hub: Hub.Hub,
  { number, user }: Hub.Pull,
  { body, ...by }: Sender & { readonly body: string }
): JsonObject => {
  const sender = senderJson(by)
  const at = Hub.timestamp(hub)
  return {
    issue: { number, user: userJson(user), pull_request: { url: `https://api.github.test/pulls/${number}` } },
    comment: { id: Hub.nextId(hub), body, user: sender, created_at: at, updated_at: at },
    sender
  }
}

/** The members of a delivery about a label of a pull request. */
export const labelMembers = (
  repository: Hub.Repository,
  pull: Hub.Pull,
  { label, ...by }: Sender & { readonly label: string }
): JsonObject => ({ ...pullMembers(repository, pull), label: { name: label }, sender: senderJson(by) })

/** Closes an issue as a person does at the website. */
export const closeIssue = (hub: Hub.Hub, issue: Hub.Issue, login: string): void => {
  const at = Hub.timestamp(hub)
  Object.assign(issue, {
    state: "closed",
    closedAt: at,
    updatedAt: at,
    closedBy: { id: 7, login },
    reason: "completed"
  })
}

/** Deletes an issue as an owner does at the website. */
export const deleteIssue = (repository: Hub.Repository, issue: Hub.Issue): void => {
  repository.issues.splice(repository.issues.indexOf(issue), 1)
  repository.deletedIssues?.add(issue.number)
}

/** The members of a delivery about a pull request. */
export const pullMembers = (repository: Hub.Repository, pull: Hub.Pull): JsonObject => ({
  number: pull.number,
  pull_request: { ...pullJson(repository, pull), merged: pull.mergedAt !== null }
})
