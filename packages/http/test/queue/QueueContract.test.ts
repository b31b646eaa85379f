import { assert, describe, it } from "@effect/vitest"
import { QueueEvent } from "@lazaret/queue"
import { queueEvents } from "@lazaret/queue/testing"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Schema } from "effect"
import { document, entries, type Json, operation } from "../description.ts"
import { json, repo, yaml } from "../queue.ts"
import { serve } from "../wire.ts"

const template = "/v1/repos/{owner}/{repository}"

const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u.test(text)

/** The description is open to new members for clients; what this server answers has none that it does not describe. */
const closed = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== "object" || schema === null) return schema
  const inner = Object.fromEntries(entries(schema).map(([key, value]) => [key, closed(value)]))
  return schema["type"] === "object" && "properties" in schema ? { ...inner, additionalProperties: false } : inner
}

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { "date-time": isInstant } })
ajv.addSchema({ $id: "api", components: closed(document["components"]) })

const isFit = (path: string, body: unknown): boolean => {
  const { content } = operation("get", `${template}${path}`)["responses"]["200"]
  return ajv.validate({ $ref: `api${content["application/json"]["schema"]["$ref"]}` }, body)
}

const fits = (path: string, body: unknown): void =>
  assert.isTrue(isFit(path, body), `${path} ${ajv.errorsText()} ${JSON.stringify(body)}`)

const encode = Schema.encodeSync(QueueEvent.QueueEvent)

const rules = "queue_rules:\n  - name: hotfix\n    checks_timeout: 1h\n  - name: default\n    batch_size: 3\n"

it("an answer with an additional or missing field, or with an unknown value, is invalid", () => {
  const pause = { reason: "release", pause_date: "2026-06-30T12:00:00.000Z" }
  assert.isTrue(isFit("/queue/pause", { queue_pause: [pause] }))
  for (const wrong of [{ ...pause, by: "me" }, { reason: "release" }, { ...pause, pause_date: "2026-06-30" }]) {
    assert.isFalse(isFit("/queue/pause", { queue_pause: [wrong] }))
  }
})

describe("whatever has happened in a merge queue", () => {
  let running: ReturnType<typeof serve> | undefined
  let repositories = 0

  it.effect.prop(
    "every answer has the fields, types and values of the interface, and no others",
    [queueEvents, Schema.Boolean],
    ([events, isPaused]) =>
      Effect.promise(async () => {
        const server = await (running ??= serve())
        const path = `${repo}${(repositories += 1)}`
        await server.send(`${path}/queues/configuration`, yaml(rules))
        if (isPaused) await server.send(`${path}/queue/pause`, json("PUT", { reason: "release" }))
        const sent = events.map((each) => ({ ...encode(each), at: new Date(each.at).toISOString() }))
        await server.json(`${path}/queue/events`, json("POST", { events: sent }))
        for (const route of ["/queues", "/queues/configuration", "/queue/pause", "/queues/branches"]) {
          fits(route, await server.json(`${path}${route}`))
        }
        for (const route of ["/status", "/branches", "/pause"]) {
          fits(`/merge-queue${route}`, await server.json(`${path}/merge-queue${route}`))
        }
        const { queues } = await server.json(`${path}/merge-queue/status`)
        const [first] = queues.flatMap((queue: Json) => queue["pull_requests"])
        if (first === undefined) return
        fits("/merge-queue/pull/{number}", await server.json(`${path}/merge-queue/pull/${first["number"]}`))
      }),
    { arbitrary: { runs: 20 } }
  )
})
