/**
 * The heads of open pull requests with their checks.
 *
 * **Details**
 *
 * The list of pull requests is a conditional read, which costs nothing while it does not change. Checks are read for heads that
 * are new, that have no checks, or of which one goes on; of a head that is red after a minute, and of one that is green after five. GraphQL fails on the
 * checks of many heads at once (cli/cli#6247), so that they are read in pages, and where a head has more checks than a query
 * may have, all of them in a read of their own.
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

/** The time, in milliseconds, after which the checks of a head are read again: people run red ones again. */
const lasting = {
  open: 0,
  red: Duration.toMillis(Duration.minutes(1)),
  green: Duration.toMillis(Duration.minutes(5))
}

/** A head as it was read. */
interface Head {
  readonly at: number
  readonly state: keyof typeof lasting
  readonly snapshot: OpenPullSnapshot
}

/** The reader of heads, which remembers those that it has read. */
export const make = (client: GitHubClient.GitHubClient, ask: Ask) => {
  const known = new Map<string, ReadonlyMap<number, Head>>()

  /** Pages of heads, one after the other: a page that fails costs no other. */
  const readAll = Effect.fnUntraced(function* (ref: Ref, pulls: ReadonlyArray<Listed>, at: number) {
    const found = new Map<number, Head>()
    for (let start = 0; start < pulls.length; start += limits.page) {
      const page = pulls.slice(start, start + limits.page)
      const ids = page.map(({ id }) => id)
      const { nodes } = yield* ask("openPulls", ref, { text: headsText, variables: { ids }, answer: HeadsAnswer })
      const open = nodes.filter((pull) => pull !== null)
      for (const pull of open) found.set(pull.number, yield* headOf(client, ref, pull, at))
    }
    return found
  })

  const of = Effect.fnUntraced(function* (ref: Ref, branch: string) {
    const at = yield* Clock.currentTimeMillis
    const key = JSON.stringify([ref.owner.toLowerCase(), ref.repository.toLowerCase(), branch])
    const before = known.get(key) ?? new Map<number, Head>()
    const pulls = yield* listed(client, ref, branch)
    const isCurrent = ({ head, number }: Listed) => {
      const read = before.get(number)
      return read !== undefined && read.snapshot.head === head && at - read.at < lasting[read.state]
    }
    const read = yield* readAll(
      ref,
      pulls.filter((pull) => !isCurrent(pull)),
      at
    )
    const after = new Map<number, Head>()
    for (const { isDraft, number } of pulls) {
      const head = read.get(number) ?? before.get(number)
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
  return found.map(({ draft, head, node_id: id, number }): Listed => ({
    id,
    number,
    head: head.sha,
    isDraft: draft === true
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

const headOf = Effect.fnUntraced(function* (
  client: GitHubClient.GitHubClient,
  ref: Ref,
  pull: typeof HeadPull.Type,
  at: number
) {
  const contexts = pull.commits.nodes[0]?.commit.statusCheckRollup?.contexts
  const isWhole = contexts?.pageInfo.hasNextPage !== true
  const checks = isWhole
    ? GitHubChecks.ofHead(contexts?.nodes ?? [])
    : (yield* GitHubChecks.ofCommit(client, ref, pull.headRefOid)).map((check) => ({ ...check, attempt: 1 }))
  const others = checks.filter(({ name }) => name !== EngineConfiguration.ownCheck)
  const isOpen = others.length === 0 || others.some(({ state }) => state === "pending")
  const state = isOpen ? "open" : others.every((check) => check.state === "success") ? "green" : "red"
  return { at, state, snapshot: { ...GitHubPulls.snapshotOf(pull), checks } } satisfies Head
})
