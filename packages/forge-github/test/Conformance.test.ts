import { describe, it } from "@effect/vitest"
import { Conformance, Platform, type Point } from "@lazaret/forge-conformance"
import { Effect, Layer } from "effect"
import { asApp, layer, ref, started } from "./connection.ts"

const operations: Readonly<Record<Point, string>> = {
  repository: "repos/get",
  readReport: "checks/list-for-ref",
  writeReport: "checks/create",
  readPulls: "repos/list-pull-requests-associated-with-commit",
  readNotes: "issues/list-comments",
  createNote: "issues/create-comment",
  editNote: "issues/update-comment",
  removeNote: "issues/delete-comment"
}

type Started = Effect.Success<typeof started>

const platform = ({ github, repository }: Started): Platform["Service"] => {
  const { hub } = github.server
  return {
    ref,
    unknown: { owner: "acme", repository: "unknown" },
    defaultBranch: "main",
    showsProgress: true,
    secrets: ["PRIVATE KEY", github.app.privateKey.slice(40, 60)],
    commit: Effect.sync(() => String((hub.lastId += 1)).padStart(40, "0")),
    openPull: (head) => Effect.sync(() => github.openPull(repository, { head }).number),
    push: (number, head) =>
      Effect.sync(() => {
        const pull = repository.pulls.find((each) => each.number === number)
        if (pull === undefined) return
        pull.head = { ...pull.head, sha: head }
        pull.commits.add(head)
      }),
    shown: (commit) =>
      Effect.sync(() => {
        const { members } = repository.checkRuns.findLast(({ headSha }) => headSha === commit) ?? {}
        if (members === undefined) return null
        const conclusion = members["status"] === "completed" ? members["conclusion"] : null
        return {
          conclusion: conclusion === "failure" ? "failure" : conclusion === null ? null : "success",
          title: String(Object(members["output"]).title)
        }
      }),
    notes: (number) =>
      Effect.sync(() => repository.comments.filter((each) => each.number === number).map(({ body }) => body)),
    noteOfOthers: (number, body) =>
      Effect.sync(() => {
        const user = { id: 902, login: "others" }
        repository.comments.push({
          id: (hub.lastId += 1),
          number,
          user,
          appId: null,
          body,
          updatedAt: "2026-01-01T00:00:00Z"
        })
      }),
    failRun: (commit) => Effect.sync(() => void github.addRun(repository, { headSha: commit })),
    writes: Effect.sync(
      () => github.server.seen.filter(({ operation }) => /(?:create|update|comment)$/u.test(operation)).length
    ),
    fail: (point, fault) => Effect.sync(() => github.server.faults.next(operations[point], fault)),
    heal: Effect.sync(() => github.server.faults.clear())
  }
}

describe("GitHub keeps the laws of a hosting platform", () => {
  for (const { name, run } of Conformance.cases) {
    it.effect(name, () =>
      Effect.flatMap(started, (all) =>
        Effect.provide(run, Layer.merge(layer(all.github, asApp(all.github)), Layer.succeed(Platform, platform(all))))
      )
    )
  }
})
