import { describe, it } from "@effect/vitest"
import { QueueConformance, QueuePlatform } from "@lazaret/forge-conformance"
import { QueueForge } from "@lazaret/services"
import { Effect, Layer } from "effect"
import { layer, started } from "./connection.ts"
import { platform } from "./platform.ts"

/** The abilities of GitLab, of all that cases need: its own queue is read and not written, and it has neither apps nor rulesets. */
const has: ReadonlySet<string> = new Set(["faults", "others", "runs", "checks"])

/** The cases that do not hold at GitLab by its nature, with the reason. */
const different: ReadonlyArray<readonly [RegExp, string]> = [
  [/(?:the|a) check of the queue/u, "a running commit status would keep its pipeline running (GitLabStatuses)"],
  [/waits for others|skipped because another failed/u, "the order of jobs is GitLab's own"],
  [/word of the platform|one name the worse/u, "the words of GitLab are its own (GitLabChecks.test.ts)"],
  [/too old to run again/u, "pipelines are archived by a setting of the instance alone"]
]

/** The checks without the one that pipelines are: the cases are about jobs and statuses. */
const ofJobs = (forge: QueueForge["Service"]): QueueForge["Service"] => {
  const jobs = <A extends { readonly name: string }>(checks: ReadonlyArray<A>) =>
    checks.filter(({ name }) => name !== "pipeline")
  return {
    ...forge,
    checks: (of, sha) => Effect.map(forge.checks(of, sha), jobs),
    openPulls: (of, branch) =>
      Effect.map(forge.openPulls(of, branch), (open) => open.map((pull) => ({ ...pull, checks: jobs(pull.checks) })))
  }
}

describe("GitLab keeps the laws of a merge queue", () => {
  for (const { name, needs, run } of QueueConformance.cases) {
    if (needs.some((need) => !has.has(need)) || different.some(([meant]) => meant.test(name))) continue
    it.effect(name, () =>
      Effect.gen(function* () {
        const all = yield* started
        const forge = yield* Effect.provide(QueueForge, layer(all.gitLab))
        const ports = Layer.merge(Layer.succeed(QueueForge, ofJobs(forge)), Layer.succeed(QueuePlatform, platform(all)))
        yield* Effect.provide(run, ports)
      })
    )
  }
})
