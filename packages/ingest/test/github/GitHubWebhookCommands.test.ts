import { assert, describe, it } from "@effect/vitest"
import { GitHubWebhook } from "@lazaret/ingest"
import { Result } from "effect"

const ada = { login: "ada", type: "User" }

const common = {
  sender: ada,
  repository: { name: "widgets", owner: { login: "acme" }, default_branch: "main" }
}

const comment = (body: string | null, changes: object = {}) => ({
  action: "created",
  issue: { number: 7, pull_request: { url: "https://api.github.test/pulls/7" }, user: { login: "cleo", type: "User" } },
  comment: { id: 99, body, created_at: "2026-01-31T12:00:00Z" },
  ...common,
  ...changes
})

const label = (changes: object = {}) => ({
  action: "labeled",
  label: { name: "queue" },
  pull_request: { number: 7, user: { login: "cleo", type: "User" } },
  ...common,
  ...changes
})

/** The wish in a delivery, or the reason why it holds none. */
const asked = (event: string, payload: object) => {
  const reading = GitHubWebhook.read(event, payload)
  if (Result.isSuccess(reading)) return reading.success.asked
  return reading.failure.kind === "ignored" ? reading.failure.reason : reading.failure.faults.map(({ path }) => path)
}

describe("commands at GitHub", () => {
  it("a new comment on a pull request asks what its lines say, once by its id", () => {
    assert.deepStrictEqual(asked("issue_comment", comment("Fine.\n@lazaret queue")), {
      number: 7,
      author: "cleo",
      by: "ada",
      how: {
        _tag: "Comment",
        id: 99,
        at: Date.parse("2026-01-31T12:00:00Z"),
        commands: [{ name: "queue", words: ["queue"] }]
      }
    })
  })

  it("comments that were edited or deleted, of bots, on issues or without a command ask nothing", () => {
    const bot = { login: "helper[bot]", type: "Bot" }
    const cases: ReadonlyArray<readonly [object, RegExp]> = [
      [comment("@lazaret queue", { action: "edited" }), /when a comment is created/u],
      [comment("@lazaret queue", { action: "deleted" }), /when a comment is created/u],
      [comment("@lazaret queue", { sender: bot }), /of bots/u],
      [comment("@lazaret queue", { issue: { number: 7, user: ada } }), /not on a pull request/u],
      [comment("> @lazaret queue"), /no command/u],
      [comment(null), /no command/u]
    ]
    for (const [payload, reason] of cases) assert.match(String(asked("issue_comment", payload)), reason)
    assert.deepStrictEqual(asked("issue_comment", comment("", { comment: {} })), ["comment.id", "comment.created_at"])
  })

  it("a label that a person adds or removes asks by its name, and one of a bot asks nothing", () => {
    const how = { _tag: "Label", label: "queue", isAdded: true } as const
    assert.deepStrictEqual(asked("pull_request", label()), { number: 7, author: "cleo", by: "ada", how })
    assert.deepInclude(asked("pull_request", label({ action: "unlabeled", pull_request: { number: 7, user: null } })), {
      author: null,
      how: { ...how, isAdded: false }
    })
    assert.match(String(asked("pull_request", label({ sender: { login: "b", type: "Bot" } }))), /of bots/u)
  })
})
