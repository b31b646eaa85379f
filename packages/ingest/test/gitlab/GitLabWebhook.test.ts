import { assert, describe, it } from "@effect/vitest"
import { Option, Result } from "effect"
import * as fc from "fast-check"
import { GitLabWebhook } from "../../src/index.ts"

const ref = { owner: "acme", repository: "widgets" }

const refOf: GitLabWebhook.RefOf = (path) => (path === "acme/widgets" ? Option.some(ref) : Option.none())

const head = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7"
const merge = "b6568db1bc1dcd7f8b4d5a946b0b91f9dacd7327"

/** The members of the example in GitLab's documentation that are read here, and some that are not. */
const mergeRequest = (attributes: object, user: object = { id: 51, username: "ada" }) => ({
  object_kind: "merge_request",
  event_type: "merge_request",
  user: { name: "Ada", ...user },
  project: { id: 1, path_with_namespace: "acme/widgets", default_branch: "trunk", namespace: "Acme" },
  object_attributes: {
    id: 99,
    iid: 1,
    title: "MS-Viewport",
    source_branch: "ms-viewport",
    target_branch: "trunk",
    author_id: 51,
    last_commit: { id: head, message: "fixed readme" },
    ...attributes
  }
})

const pipeline = (status: string) => ({
  object_kind: "pipeline",
  project: { path_with_namespace: "acme/widgets", default_branch: "trunk" },
  object_attributes: { id: 31, ref: "topic", sha: head, status }
})

const read = (payload: unknown) => GitLabWebhook.read(payload, refOf)

const facts = (payload: unknown) => Result.getOrElse(read(payload), (unusable) => unusable)

const empty = {
  repository: ref,
  events: [],
  pulls: [],
  defaultBranch: "trunk",
  configurationFile: null,
  press: null,
  heads: []
}

const kindOf = (payload: unknown) =>
  Result.match(read(payload), { onSuccess: () => "read", onFailure: ({ kind }) => kind })

const note = (attributes: object = {}, more: object = {}) => ({
  object_kind: "note",
  user: { id: 51, name: "Ada", username: "ada" },
  project: { id: 1, path_with_namespace: "acme/widgets", default_branch: "trunk" },
  object_attributes: {
    id: 1244,
    note: "Fine.\n@lazaret queue",
    noteable_type: "MergeRequest",
    action: "create",
    system: false,
    created_at: "2026-01-31 12:00:00 UTC",
    ...attributes
  },
  merge_request: { id: 7, iid: 3, author_id: 51 },
  ...more
})

describe("commands to the merge queue at GitLab", () => {
  const asked = (payload: unknown) =>
    Result.match(read(payload), { onSuccess: (delivery) => delivery.asked ?? null, onFailure: ({ kind }) => kind })

  it("a new note on a merge request holds commands, and says who asks", () => {
    const how = { _tag: "Comment", id: 1244, at: 1_769_860_800_000, commands: [{ name: "queue", words: ["queue"] }] }
    assert.deepStrictEqual<unknown>(asked(note()), { number: 3, author: "ada", by: "ada", how })
    const ofOther = asked(note({}, { merge_request: { iid: 3, author_id: 9 } }))
    assert.deepStrictEqual<unknown>(ofOther, { number: 3, author: null, by: "ada", how })
  })

  it("other notes, edits, notes of GitLab itself and of bots hold none", () => {
    const bot = { user: { id: 5, username: "project_1_bot_ab12" } }
    for (const payload of [
      note({ note: "Fine." }),
      note({ action: "update" }),
      note({ noteable_type: "Issue" }),
      note({ system: true }),
      note({}, { merge_request: null }),
      note({}, bot)
    ]) {
      assert.strictEqual(asked(payload), "ignored")
    }
  })

  it("labels that were added and removed are one wish", () => {
    const titled = (...titles: ReadonlyArray<string>) => titles.map((title) => ({ title }))
    const labels = { previous: titled("old", "kept"), current: titled("kept", "queue", "more") }
    const update = { ...mergeRequest({ action: "update" }), changes: { labels } }
    assert.deepStrictEqual<unknown>(asked(update), {
      number: 1,
      author: "ada",
      by: "ada",
      how: { _tag: "Labels", added: ["queue", "more"], removed: ["old"] }
    })
    assert.strictEqual(asked({ ...mergeRequest({ action: "update" }), changes: {} }), "ignored")
  })
})

const push = (commits: ReadonlyArray<object> | null, more: object = {}) => ({
  object_kind: "push",
  ref: "refs/heads/trunk",
  project: { id: 1, path_with_namespace: "acme/widgets", default_branch: "trunk" },
  commits,
  total_commits_count: commits?.length ?? 0,
  ...more
})

describe("pushes at GitLab", () => {
  const file = ".lazaret/queue.yml"
  const touches = (list: string, path = file) => ({ id: head, added: [], modified: [], removed: [], [list]: [path] })

  it("a push to the default branch says whether one of its commits changes the configuration file", () => {
    for (const list of ["added", "modified", "removed"]) {
      const commits = [touches(list, "readme"), touches(list)]
      assert.deepStrictEqual<unknown>(facts(push(commits)), { ...empty, configurationFile: file }, list)
    }
    for (const commits of [[], null, [touches("modified", `docs/${file}`)]]) {
      assert.deepStrictEqual<unknown>(facts(push(commits)), empty)
    }
  })

  it("of more commits than the payload names, any may have changed the file", () => {
    const few = [touches("modified", "readme")]
    assert.deepStrictEqual<unknown>(facts(push(few, { total_commits_count: 2 })), { ...empty, configurationFile: file })
  })

  it("a push to another branch, or to a project without a default branch, is ignored", () => {
    const project = { path_with_namespace: "acme/widgets", default_branch: null }
    for (const more of [{ ref: "refs/heads/topic" }, { ref: "refs/tags/trunk" }, { project }]) {
      assert.strictEqual(kindOf(push([touches("added")], more)), "ignored")
    }
  })
})

describe("deliveries of GitLab", () => {
  it("a merge request that is opened or has new commits names its head", () => {
    for (const attributes of [{ action: "open" }, { action: "reopen" }, { action: "update", oldrev: merge }]) {
      assert.deepStrictEqual<unknown>(facts(mergeRequest(attributes)), { ...empty, heads: [head], pullHeads: [] })
    }
    const from = { source_project_id: 2, target_project_id: 1, source: { path_with_namespace: "ada/tools/widgets" } }
    assert.deepStrictEqual<unknown>(facts(mergeRequest({ action: "open", ...from })), {
      ...empty,
      heads: [head],
      pullHeads: [{ number: 1, commit: head, owner: "ada/tools", isFork: true }]
    })
    for (const action of ["update", "approved", "close"])
      assert.strictEqual(kindOf(mergeRequest({ action })), "ignored")
  })

  it("an event of a merged request names the commit of the merge, or else its head", () => {
    const pull = { id: 99, number: 1, title: "MS-Viewport", user: { id: 51, login: "ada" } }
    for (const [sha, commit] of [
      [merge, merge],
      [null, head]
    ]) {
      const merged = mergeRequest({ action: "merge", merge_commit_sha: sha })
      assert.deepStrictEqual<unknown>(facts(merged), { ...empty, pulls: [{ commit, pull }] })
    }
    const byAnother = mergeRequest({ action: "merge", merge_commit_sha: merge }, { id: 7, username: "grace" })
    assert.deepStrictEqual<unknown>(facts(byAnother), empty, "the author is not named")
  })

  it("a pipeline is running or over, and a completed one can be read", () => {
    const ciRun = { runId: "31", pipelineName: "GitLab CI", commit: head, attempt: 1 }
    for (const status of ["success", "failed", "canceled", "manual"]) {
      const expected = { ...empty, completedRun: "31", ciRun: { ...ciRun, state: "over" } }
      assert.deepStrictEqual<unknown>(facts(pipeline(status)), expected)
    }
    for (const status of ["running", "pending", "created"]) {
      assert.deepStrictEqual<unknown>(facts(pipeline(status)), { ...empty, ciRun: { ...ciRun, state: "running" } })
    }
    assert.strictEqual(kindOf(pipeline("scheduled")), "ignored")
  })

  it("a completed pipeline names the times of its jobs that have ended", () => {
    const builds = [
      { name: "unit 1/2", duration: 12.5, finished_at: "2026-01-31 12:00:00 UTC" },
      { name: "unit 2/2", duration: null, finished_at: null },
      { name: "deploy", duration: 400_000, finished_at: "2026-01-31 12:00:00 UTC" },
      { name: "lint", duration: 3, finished_at: "soon" }
    ]
    const at = Date.UTC(2026, 0, 31, 12)
    const jobTimes = [{ runId: "31", runAttempt: 1, jobName: "unit 1/2", at, durationMs: 12_500 }]
    assert.deepInclude(facts({ ...pipeline("failed"), builds }), { jobTimes })
    assert.notProperty(facts({ ...pipeline("running"), builds }), "jobTimes")
  })

  it("a project without a path here is ignored, and names the setting that gives it one", () => {
    const nested = { ...pipeline("failed"), project: { path_with_namespace: "acme/platform/api" } }
    assert.match(JSON.stringify(facts(nested)), /acme\/platform\/api.*LAZARET_GITLAB_GROUPS/)
  })

  it("a payload that is not as documented is malformed, with every fault", () => {
    const broken = { ...mergeRequest({ action: "open" }), object_attributes: { iid: "1" } }
    assert.include(JSON.stringify(facts(broken)), "object_attributes.last_commit")
    assert.strictEqual(kindOf({ object_kind: "pipeline" }), "malformed")
  })

  it("no payload is a defect", () => {
    const payloads = fc.oneof(
      fc.jsonValue(),
      fc.record({ object_kind: fc.constantFrom("merge_request", "pipeline", "push"), project: fc.jsonValue() })
    )
    fc.assert(
      fc.property(payloads, (payload) => {
        assert.isTrue(Result.isResult(read(payload)))
      }),
      { numRuns: 300 }
    )
  })
})
