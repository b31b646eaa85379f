import { describe, it } from "@effect/vitest"
import { IssueConformance, IssuePlatform } from "@lazaret/forge-conformance"
import { Hub, SimulatedGitHub } from "@lazaret/forge-simulated"
import { Effect, Layer } from "effect"
import { asApp, asWriter, layer, ref, started } from "./connection.ts"

type Started = Effect.Success<typeof started>

const platform = ({ github, repository }: Started): IssuePlatform["Service"] => {
  const { faults, hub } = github.server
  repository.people?.set("ada", "write")
  const change = (id: string, run: (issue: Hub.Issue) => void) =>
    Effect.sync(() => {
      const issue = repository.issues.find(({ number }) => `${number}` === id)
      if (issue !== undefined) run(issue)
    })
  return {
    ref,
    assignable: "ada",
    shown: Effect.sync(() =>
      repository.issues.map(({ assignees, body, labels, state, title }) => ({
        title,
        body,
        isOpen: state === "open",
        labels,
        assignees
      }))
    ),
    writtenByOthers: (body) =>
      Effect.sync(() => {
        const at = Hub.timestamp(hub)
        repository.issues.push({
          id: Hub.nextId(hub),
          number: Hub.nextNumber(repository),
          user: { id: 7, login: "eve" },
          appId: null,
          title: "forged",
          body,
          state: "open",
          reason: null,
          labels: [],
          assignees: [],
          createdAt: at,
          updatedAt: at,
          closedAt: null,
          closedBy: null
        })
      }),
    close: (id, account) => change(id, (issue) => SimulatedGitHub.closeIssue(hub, issue, account)),
    reopen: (id) => change(id, (issue) => void Object.assign(issue, { state: "open", closedAt: null, closedBy: null })),
    remove: (id) => change(id, (issue) => SimulatedGitHub.deleteIssue(repository, issue)),
    disable: Effect.sync(() => {
      repository.isWithoutIssues = true
    }),
    fail: (fault) => Effect.sync(() => faults.next("issues/create", fault))
  }
}

describe("GitHub keeps the laws of an issue tracker", () => {
  for (const { name, run } of IssueConformance.cases) {
    for (const [by, isApp] of [
      ["an app", true],
      ["a token", false]
    ] as const) {
      it.effect(`${name}, with ${by}`, () =>
        Effect.flatMap(started, (all) => {
          const credentials = isApp ? asApp(all.github) : asWriter
          const ports = Layer.merge(layer(all.github, credentials), Layer.succeed(IssuePlatform, platform(all)))
          return Effect.provide(run, ports)
        })
      )
    }
  }
})
