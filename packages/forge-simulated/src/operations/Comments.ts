/** Comments on pull requests. */
import * as Hub from "../Hub.ts"
import type { JsonObject } from "../Json.ts"
import { type Call, notFound, onRepository, type Operations, paged, refusal, text, userJson } from "./Operation.ts"

const read = { permission: ["issues", "pull_requests"], access: "read" } as const
const write = { permission: ["issues", "pull_requests"], access: "write" } as const

/** The most characters that the platform takes in a comment. */
const mostCharacters = 65_536

const shown = ({ body, id, number, updatedAt, user, appId }: Hub.Comment): JsonObject => ({
  id,
  body,
  user: userJson(user, appId === null ? "User" : "Bot"),
  performed_via_github_app: appId === null ? null : { id: appId },
  created_at: updatedAt,
  updated_at: updatedAt,
  issue_url: `https://github.test/issues/${number}`
})

/** The account that writes. */
export const author = ({ actor }: Call): Hub.User =>
  actor._tag === "Installation" ? { id: 900, login: `${actor.app.slug}[bot]` } : { id: 901, login: "machine-user" }

const tooLong = (body: JsonObject) =>
  text(body, "body").length > mostCharacters
    ? refusal(422, "Validation Failed: body is too long (maximum is 65536 characters)")
    : null

/** The operations. */
export const operations: Operations = {
  "issues/list-comments": onRepository(read, (repository, call) => {
    const number = Number(call.path["issue_number"])
    if (!repository.pulls.some((pull) => pull.number === number)) return notFound
    const found = repository.comments.filter((comment) => comment.number === number)
    const address = `/repos/${repository.owner}/${repository.name}/issues/${number}/comments`
    const { headers, items } = paged(call, found, address)
    return { status: 200, headers, members: items.map(shown) }
  }),

  "issues/create-comment": onRepository(write, (repository, call) => {
    const { actor, body, hub, path } = call
    const number = Number(path["issue_number"])
    if (!repository.pulls.some((pull) => pull.number === number)) return notFound
    const wrong = tooLong(body)
    if (wrong !== null) return wrong
    const comment = {
      id: Hub.nextId(hub),
      number,
      user: author(call),
      appId: actor._tag === "Installation" ? actor.app.id : null,
      body: text(body, "body"),
      updatedAt: Hub.timestamp(hub)
    }
    repository.comments.push(comment)
    return { status: 201, members: shown(comment) }
  }),

  "issues/update-comment": onRepository(write, (repository, { body, hub, path }) => {
    const comment = repository.comments.find(({ id }) => id === Number(path["comment_id"]))
    if (comment === undefined) return notFound
    const wrong = tooLong(body)
    if (wrong !== null) return wrong
    comment.body = text(body, "body")
    comment.updatedAt = Hub.timestamp(hub)
    return { status: 200, members: shown(comment) }
  }),

  "issues/delete-comment": onRepository(write, (repository, { path }) => {
    const index = repository.comments.findIndex(({ id }) => id === Number(path["comment_id"]))
    if (index < 0) return notFound
    repository.comments.splice(index, 1)
    return { status: 204 }
  })
}
