import { assert, describe, it } from "@effect/vitest"
import { PipelineConformance, PipelinePlatform } from "@lazaret/forge-conformance"
import { type CommitReport, Forge } from "@lazaret/services"
import { Context, Effect, Layer } from "effect"
import { layer, started } from "./connection.ts"
import { pipelines } from "./pipelines.ts"

type Port = Forge["Service"]

type Started = Effect.Success<typeof started>

describe("GitLab keeps the laws of pipelines", () => {
  for (const { name, run } of PipelineConformance.cases) {
    it.effect(name, () =>
      Effect.flatMap(started, (all) =>
        Effect.provide(run, Layer.merge(layer(all.gitLab), Layer.succeed(PipelinePlatform, pipelines(all))))
      )
    )
  }
})

interface Listed {
  readonly id: number
  readonly status: string
}

/** Asks GitLab about the project; lists are those of pipelines. */
interface Send {
  (method: string, path: string, body?: object): Effect.Effect<ReadonlyArray<Listed>>
}

/** A part of an adapter that asks GitLab itself. */
interface Naive {
  (send: Send, given: Started): Partial<Port>
}

const state = ({ conclusion }: CommitReport) => (conclusion === "success" ? "success" : "failed")

/** Adapters that are broken in one way each, and cases that find it. */
const broken: Readonly<Record<string, readonly [Naive, ReadonlyArray<string>]>> = {
  "publishes a status that names no pipeline": [
    (send) => ({
      publish: (_, report) =>
        Effect.asVoid(send("POST", `/statuses/${report.commit}`, { name: report.name, state: state(report) }))
    }),
    [
      "a verdict belongs to the pipeline of the merge request, whichever other one of the head is newer",
      "where the pipelines are those of a merge, a verdict is published nowhere, and a red merge request stays locked",
      "a commit without a pipeline gets none by a verdict"
    ]
  ],
  "publishes on any pipeline of the commit": [
    (send) => ({
      publish: (_, report) =>
        Effect.gen(function* () {
          const listed = yield* send("GET", `/pipelines?sha=${report.commit}`)
          const body = { name: report.name, state: state(report), pipeline_id: listed[0]?.id }
          if (listed.length > 0) yield* send("POST", `/statuses/${report.commit}`, body)
        })
    }),
    [
      "a verdict belongs to the pipeline of the merge request, whichever other one of the head is newer",
      "a verdict makes no failed pipeline green, with jobs or without"
    ]
  ],
  "publishes nothing": [
    () => ({ publish: () => Effect.void }),
    ["an external pipeline takes the verdict where the head has no other one"]
  ],
  "looks for failed pipelines of the head alone": [
    (send) => ({
      rerunFailedJobs: (_, commit) =>
        Effect.gen(function* () {
          const listed = yield* send("GET", `/pipelines?sha=${commit}&status=failed`)
          for (const { id } of listed) yield* send("POST", `/pipelines/${id}/retry`)
          return listed.length
        })
    }),
    ["failed jobs run again, once, in whichever kind of pipeline"]
  ],
  "runs every failed pipeline of the merge request again": [
    (send, { project }) => ({
      rerunFailedJobs: (_, commit) =>
        Effect.gen(function* () {
          const iid = project.mergeRequests.find(({ sha }) => sha === commit)?.iid
          const listed = yield* send("GET", `/merge_requests/${iid}/pipelines`)
          const failed = listed.filter(({ status }) => status === "failed")
          for (const { id } of failed) yield* send("POST", `/pipelines/${id}/retry`)
          return failed.length
        })
    }),
    ["neither a pipeline of an earlier head runs again, nor one with a newer one of its kind"]
  ]
}

describe("the cases of pipelines", () => {
  for (const [name, [naive, titles]] of Object.entries(broken)) {
    it.effect(`an adapter that ${name} is found`, () =>
      Effect.forEach(
        titles,
        (title) =>
          Effect.gen(function* () {
            const all = yield* started
            // The adapters read lists of pipelines alone.
            const send: Send = (method, path, body) =>
              Effect.promise(() =>
                fetch(`${all.gitLab.url}/api/v4/projects/acme%2Fwidgets${path}`, {
                  method,
                  headers: { "private-token": "server-token", "content-type": "application/json" },
                  ...(body === undefined ? {} : { body: JSON.stringify(body) })
                }).then((response) => response.json() as Promise<ReadonlyArray<Listed>>)
              )
            const real = Context.get(yield* Layer.build(layer(all.gitLab)), Forge)
            const adapter = Forge.of({ ...real, ...naive(send, all) })
            const proof = PipelineConformance.cases.find((each) => each.name === title)
            assert.isDefined(proof, title)
            if (proof === undefined) return
            const ports = Layer.merge(Layer.succeed(Forge, adapter), Layer.succeed(PipelinePlatform, pipelines(all)))
            const found = yield* Effect.flip(Effect.provide(proof.run, ports))
            assert.propertyVal(found, "_tag", "Violation", title)
          }),
        { discard: true }
      )
    )
  }
})
