/** Actions of people and CI at GitHub: the requests of the suite itself. */
import type { Repository } from "@lazaret/domain"
import type { Conclusion, Shown } from "@lazaret/forge-conformance"
import type { ForgeError } from "@lazaret/services"
import { Effect } from "effect"
import type { GitHubClient } from "../../src/index.ts"
import * as GitHubCommits from "../../src/GitHubCommits.ts"

type State = "success" | "failure" | "pending"

/** The actions on a repository. */
export const make = (client: GitHubClient.GitHubClient, ref: Repository.RepositoryRef) => {
  const at = GitHubCommits.at(ref)
  const ask = <A>(send: GitHubClient.Send<{ readonly data: A }>) =>
    Effect.map(client.ask("conformance", ref, send), ({ data }) => data)
  const write = <A>(send: GitHubClient.Send<{ readonly data: A }>) =>
    Effect.map(client.write("conformance", ref, send), ({ data }) => data)

  return {
    repository: ask((kit, options) => kit.request("GET /repos/{owner}/{repo}", { ...at, ...options })),

    pulls: ask((kit, options) => kit.request("GET /repos/{owner}/{repo}/pulls", { ...at, state: "open", ...options })),

    openPull: (pull: { readonly head: string; readonly base: string; readonly draft: boolean }) =>
      Effect.map(
        write((kit, options) =>
          kit.request("POST /repos/{owner}/{repo}/pulls", { ...at, title: `Try ${pull.head}`, ...pull, ...options })
        ),
        ({ number }) => number
      ),

    setState: (number: number, state: "open" | "closed") =>
      write((kit, options) =>
        kit.request("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", {
          ...at,
          pull_number: number,
          state,
          ...options
        })
      ),

    moveBranch: (name: string, sha: string) =>
      write((kit, options) =>
        kit.request("PATCH /repos/{owner}/{repo}/git/refs/{ref}", {
          ...at,
          ref: `heads/${name}`,
          sha,
          force: true,
          ...options
        })
      ),

    status: (sha: string, context: string, state: State) =>
      Effect.asVoid(
        write((kit, options) =>
          kit.request("POST /repos/{owner}/{repo}/statuses/{sha}", { ...at, sha, context, state, ...options })
        )
      ),

    check: (sha: string, name: string, conclusion: Conclusion | null) =>
      Effect.asVoid(
        write((kit, options) =>
          kit.request("POST /repos/{owner}/{repo}/check-runs", {
            ...at,
            ...options,
            name,
            head_sha: sha,
            ...(conclusion === null ? { status: "in_progress" } : { status: "completed", conclusion })
          })
        )
      ),

    shown: (sha: string, name: string): Effect.Effect<Shown | undefined, ForgeError> =>
      Effect.gen(function* () {
        const { check_runs: runs } = yield* ask((kit, options) =>
          kit.request("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", {
            ...at,
            ref: sha,
            check_name: name,
            ...options
          })
        )
        const run = runs.toSorted((a, b) => Number(b.id) - Number(a.id))[0]
        if (run !== undefined) {
          const isOver = run.status === "completed"
          return { conclusion: isOver ? conclusionOf(run.conclusion) : null, title: run.output.title ?? "" }
        }
        const statuses = yield* ask((kit, options) =>
          kit.request("GET /repos/{owner}/{repo}/commits/{ref}/statuses", {
            ...at,
            ref: sha,
            per_page: 100,
            ...options
          })
        )
        const status = statuses.find(({ context }) => context === name)
        if (status === undefined) return undefined
        const { description, state } = status
        return { conclusion: state === "pending" ? null : conclusionOf(state), title: description ?? "" }
      }),

    notes: (pull: number) =>
      Effect.map(
        ask((kit, options) =>
          kit.request("GET /repos/{owner}/{repo}/issues/{issue_number}/comments", {
            ...at,
            issue_number: pull,
            per_page: 100,
            ...options
          })
        ),
        (notes) => notes.map(({ body }) => body ?? "")
      ),

    note: (pull: number, body: string) =>
      Effect.asVoid(
        write((kit, options) =>
          kit.request("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", {
            ...at,
            issue_number: pull,
            body,
            ...options
          })
        )
      ),

    attempts: (sha: string) =>
      Effect.map(
        ask((kit, options) =>
          kit.request("GET /repos/{owner}/{repo}/actions/runs", { ...at, head_sha: sha, ...options })
        ),
        ({ workflow_runs: runs }) => runs.reduce((most, { run_attempt: attempt }) => Math.max(most, attempt ?? 1), 0)
      )
  }
}

/** A conclusion that lets merges pass is a success. */
const conclusionOf = (word: string | null): Shown["conclusion"] =>
  word === "success" || word === "neutral" || word === "skipped" ? "success" : "failure"
