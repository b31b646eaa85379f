/**
 * The heads of open pull requests with their checks.
 *
 * **Details**
 *
 * The list of pull requests is a conditional read, which costs nothing while it does not change. A head is read again when
 * it has no checks or one of them goes on, after a minute when it is red, and after five when it is green. Its checks and statuses
 * are then read conditionally as well, and only a head of which they changed is read by GraphQL: each page of it costs a point. What
 * these reads do not show, such as a review, is read when the pull request was updated, and every five minutes.
 *
 * GraphQL fails on the checks of many heads at once (cli/cli#6247), so that they are read in pages, and where a head has more
 * checks than a query may have, all of them in a read of their own.
 */
import { EngineConfiguration } from "@lazaret/queue"
import type { ForgeError, OpenPullSnapshot } from "@lazaret/services"
import type { Repository } from "@lazaret/domain"
import { Clock, Duration, Effect, Schema } from "effect"
import * as GitHubChecks from "./GitHubChecks.ts"
import type * as GitHubClient from "./GitHubClient.ts"
import * as GitHubPulls from "./GitHubPulls.ts"
import type { Query } from "./GitHubGraphQl.ts"
import * as Pages from "./Pages.ts"

type Ref = Repository.RepositoryRef

/** Sends a query. */
interface Ask {
  <A>(operation: string, ref: Ref, query: Query<A>): Effect.Effect<A, ForgeError>
}

/** The heads of one query, and the branches that are remembered. */
const limits = { page: 20, branches: 1000 }

/** The time, in milliseconds, after which a head is read whole again. */
const whole = Duration.toMillis(Duration.minutes(5))

/** The time, in milliseconds, after which the checks of a head are read again: people run red ones again. */
const lasting = { open: 0, red: Duration.toMillis(Duration.minutes(1)), green: whole }

/**
 * A head as it was read.
 *
 * **Details**
 *
 * `at`: when it was read whole. `seenAt`: when its checks were read last. `print`: its checks and statuses as they were
 * before the read, null where they were not read. `updatedAt`: of the pull request, as the list had it.
 */
interface Head {
  readonly at: number
  readonly seenAt: number
  readonly print: string | null
  readonly updatedAt: string
  readonly state: keyof typeof lasting
  readonly snapshot: OpenPullSnapshot
}

type Known = ReadonlyMap<number, Head>

/** A pull request to read, with its checks and statuses as they were before. */
interface Due {
  readonly pull: Listed
  readonly print: string | null
}

/** Whether a pull request is as it was when its head was read, but for the checks. */
const isSame = ({ snapshot, updatedAt }: Head, pull: Listed): boolean =>
  snapshot.head === pull.head && updatedAt === pull.updatedAt

/** The checks and statuses of a commit, to be compared. */
const printOf = (client: GitHubClient.GitHubClient, ref: Ref, sha: string) =>
  Effect.map(GitHubChecks.all(client, ref, sha), (results) => JSON.stringify(results))

/** The reader of heads, which remembers those that it has read. */
export const make = (client: GitHubClient.GitHubClient, ask: Ask) => {
  const known = new Map<string, Known>()

  /** Pages of heads, one after the other: a page that fails costs no other. */
  const readAll = Effect.fnUntraced(function* (ref: Ref, due: ReadonlyArray<Due>, at: number) {
    const found = new Map<number, Head>()
    for (let start = 0; start < due.length; start += limits.page) {
      const page = due.slice(start, start + limits.page)
      const ids = page.map(({ pull }) => pull.id)
      const { nodes } = yield* ask("openPulls", ref, { text: headsText, variables: { ids }, answer: HeadsAnswer })
      for (const pull of nodes.filter((each) => each !== null)) {
        const asked = page.find((each) => each.pull.number === pull.number)
        const { snapshot, state } = yield* headOf(client, ref, pull)
        const updatedAt = asked?.pull.updatedAt ?? ""
        found.set(pull.number, { at, seenAt: at, print: asked?.print ?? null, updatedAt, state, snapshot })
      }
    }
    return found
  })

  /** The heads of which something may be new. Those of many would be more requests than pages: they are read at once. */
  const changed = Effect.fnUntraced(function* (ref: Ref, pulls: ReadonlyArray<Listed>, heads: Known, at: number) {
    const seen = new Map<number, Head>()
    const due: Array<Due> = []
    const isDue = (pull: Listed) => {
      const head = heads.get(pull.number)
      return head === undefined || !isSame(head, pull) || at - head.seenAt >= lasting[head.state]
    }
    const all = pulls.filter(isDue)
    const isFew = all.length <= limits.page
    for (const pull of all) {
      const head = heads.get(pull.number)
      const print = isFew && head?.snapshot.head === pull.head ? yield* printOf(client, ref, pull.head) : null
      const isUnchanged = print !== null && print === head?.print && isSame(head, pull) && at - head.at < whole
      if (isUnchanged) seen.set(pull.number, { ...head, seenAt: at })
      else due.push({ pull, print })
    }
    return { seen, due }
  })

  const of = Effect.fnUntraced(function* (ref: Ref, branch: string) {
    const at = yield* Clock.currentTimeMillis
    const key = JSON.stringify([ref.owner.toLowerCase(), ref.repository.toLowerCase(), branch])
    const before: Known = known.get(key) ?? new Map()
    const pulls = yield* listed(client, ref, branch)
    const { due, seen } = yield* changed(ref, pulls, before, at)
    const read = yield* readAll(ref, due, at)
    const after = new Map<number, Head>()
    for (const { isDraft, number } of pulls) {
      const head = read.get(number) ?? seen.get(number) ?? before.get(number)
      if (head?.snapshot.state === "open" && head.snapshot.base === branch)
        after.set(number, { ...head, snapshot: { ...head.snapshot, draft: isDraft } })
    }
    known.delete(key)
    known.set(key, after)
    if (known.size > limits.branches) known.delete(known.keys().next().value ?? "")
    return [...after.values()].map(({ snapshot }) => snapshot)
  })

  return { of }
}

/** A pull request in the list. */
interface Listed {
  readonly id: string
  readonly number: number
  readonly head: string
  readonly isDraft: boolean
  readonly updatedAt: string
}

/** The open pull requests onto a branch, the oldest first: an order that changes with the list alone. */
const listed = Effect.fnUntraced(function* (client: GitHubClient.GitHubClient, ref: Ref, branch: string) {
  const found = yield* Pages.all((page) =>
    Effect.map(
      client.ask("openPulls", ref, (kit, options) =>
        kit.request("GET /repos/{owner}/{repo}/pulls", {
          owner: ref.owner,
          repo: ref.repository,
          state: "open",
          base: branch,
          sort: "created",
          direction: "asc",
          per_page: Pages.size,
          page,
          ...options
        })
      ),
      ({ data }) => data
    )
  )
  return found.map(({ draft, head, node_id: id, number, updated_at: updatedAt }): Listed => ({
    id,
    number,
    head: head.sha,
    isDraft: draft === true,
    updatedAt
  }))
})

const headsText = `query ($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on PullRequest {
      ${GitHubPulls.fields}
      commits(last: 1) {
        nodes {
          commit {
            statusCheckRollup {
              contexts(first: 100) { pageInfo { hasNextPage } nodes { ${GitHubChecks.contextFields} } }
            }
          }
        }
      }
    }
  }
}`

const Contexts = Schema.Struct({
  pageInfo: Schema.Struct({ hasNextPage: Schema.Boolean }),
  nodes: Schema.Array(GitHubChecks.Context)
})

const HeadPull = Schema.Struct({
  ...GitHubPulls.Pull.fields,
  commits: GitHubPulls.nodes(
    Schema.Struct({
      commit: Schema.Struct({ statusCheckRollup: Schema.NullOr(Schema.Struct({ contexts: Contexts })) })
    })
  )
})

const HeadsAnswer = GitHubPulls.nodes(Schema.NullOr(HeadPull))

const headOf = Effect.fnUntraced(function* (client: GitHubClient.GitHubClient, ref: Ref, pull: typeof HeadPull.Type) {
  const contexts = pull.commits.nodes[0]?.commit.statusCheckRollup?.contexts
  const isWhole = contexts?.pageInfo.hasNextPage !== true
  const checks = isWhole
    ? GitHubChecks.ofHead(contexts?.nodes ?? [])
    : (yield* GitHubChecks.ofCommit(client, ref, pull.headRefOid)).map((check) => ({ ...check, attempt: 1 }))
  const others = checks.filter(({ name }) => name !== EngineConfiguration.ownCheck)
  const isOpen = others.length === 0 || others.some(({ state }) => state === "pending")
  const state = isOpen ? "open" : others.every((check) => check.state === "success") ? "green" : "red"
  return { state, snapshot: { ...GitHubPulls.snapshotOf(pull), checks } } satisfies Pick<Head, "snapshot" | "state">
})
