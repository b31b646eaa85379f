/** Commits and pull requests of a certification at GitHub. */
import { ScratchForge } from "@lazaret/services"
import { Effect } from "effect"
import type { GitHubClient } from "./GitHubClient.ts"
import * as GitHubCommits from "./GitHubCommits.ts"

/** The port at a connection. */
export const make = (client: GitHubClient): ScratchForge["Service"] =>
  ScratchForge.of({
    first: Effect.fnUntraced(function* (ref) {
      const { data } = yield* client.ask("first", ref, (kit, options) =>
        kit.request("GET /repos/{owner}/{repo}", { ...GitHubCommits.at(ref), ...options })
      )
      const { data: branch } = yield* client.ask("first", ref, (kit, options) =>
        kit.request("GET /repos/{owner}/{repo}/branches/{branch}", {
          ...GitHubCommits.at(ref),
          branch: data.default_branch,
          ...options
        })
      )
      return branch.commit.sha
    }),

    commit: Effect.fnUntraced(function* (ref, { files, message, parent }) {
      const { data: before } = yield* client.ask("commit", ref, (kit, options) =>
        kit.request("GET /repos/{owner}/{repo}/git/commits/{commit_sha}", {
          ...GitHubCommits.at(ref),
          commit_sha: parent,
          ...options
        })
      )
      const { data: tree } = yield* client.write("commit", ref, (kit, options) =>
        kit.request("POST /repos/{owner}/{repo}/git/trees", {
          ...GitHubCommits.at(ref),
          base_tree: before.tree.sha,
          tree: Object.entries(files).map(([path, content]) => ({ path, mode: "100644", type: "blob", content })),
          ...options
        })
      )
      const made = { tree: tree.sha, parents: [parent], message: { title: message, body: "", author: null } }
      return yield* GitHubCommits.create(client, ref, made)
    }),

    openPull: (ref, { from, onto, title }) =>
      Effect.map(
        client.write("openPull", ref, (kit, options) =>
          kit.request("POST /repos/{owner}/{repo}/pulls", {
            ...GitHubCommits.at(ref),
            head: from,
            base: onto,
            title,
            ...options
          })
        ),
        ({ data }) => data.number
      )
  })
