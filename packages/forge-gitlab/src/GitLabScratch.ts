/** Commits and merge requests of a certification at GitLab. */
import { ScratchForge } from "@lazaret/services"
import { Clock, Effect, Schema } from "effect"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabCommits from "./GitLabCommits.ts"

const Project = Schema.Struct({ default_branch: Schema.NullOr(Schema.String) })

const Made = Schema.Struct({ id: Schema.String })

const Opened = Schema.Struct({ iid: Schema.Int })

/** The port at a connection. */
export const make = (client: GitLabClient.GitLabClient): ScratchForge["Service"] =>
  ScratchForge.of({
    first: Effect.fnUntraced(function* (ref) {
      const { body } = yield* client.ask("first", ref, { path: "" }, Project)
      const sha = yield* GitLabCommits.branch(client, ref, body.default_branch ?? "main")
      return sha ?? (yield* empty(ref))
    }),

    // GitLab makes a commit only on a branch, which is removed again.
    commit: Effect.fnUntraced(function* (ref, { files, message, parent }) {
      const at = yield* Clock.currentTimeNanos
      const branch = `lazaret/tmp/commit-${parent.slice(0, 8)}-${at}-${Object.keys(files).join("-")}`
      const listed = yield* Effect.forEach(Object.entries(files), ([path, content]) =>
        Effect.map(exists(client, ref, path, parent), (isKnown) => ({
          action: isKnown ? "update" : "create",
          file_path: path,
          content
        }))
      )
      const { id } = yield* client.send(
        "commit",
        ref,
        {
          method: "POST",
          path: "/repository/commits",
          body: { branch, start_sha: parent, commit_message: message, actions: listed }
        },
        Made
      )
      yield* GitLabCommits.removeBranch(client, ref, branch)
      return id
    }),

    openPull: (ref, { from, onto, title }) =>
      Effect.map(
        client.send(
          "openPull",
          ref,
          { method: "POST", path: "/merge_requests", body: { source_branch: from, target_branch: onto, title } },
          Opened
        ),
        ({ iid }) => iid
      )
  })

const exists = (
  client: GitLabClient.GitLabClient,
  ref: Parameters<GitLabClient.GitLabClient["open"]>[1],
  path: string,
  commit: string
) =>
  Effect.map(
    GitLabCommits.orNone(client.open("commit", ref, `/repository/files/${encodeURIComponent(path)}/raw?ref=${commit}`)),
    ({ _tag }) => _tag === "Some"
  )

const empty = (ref: Parameters<GitLabClient.GitLabClient["open"]>[1]) =>
  GitLabClient.forgeError("first", ref, { reason: "refused", message: "the project has no commit" })
