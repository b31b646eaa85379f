/** The merge queue over the wire, as tests ask for it. */
import { EngineConfiguration, EngineDecision, type EngineEvent } from "@lazaret/queue"
import { EngineStore } from "@lazaret/store"
import { type Call, now, serve } from "./wire.ts"

/** A server of a test. */
export type Server = Awaited<ReturnType<typeof serve>>

/** A test with a server of its own. */
export const withServer =
  (body: (server: Server) => Promise<void>): (() => Promise<void>) =>
  async () => {
    await using server = await serve()
    await body(server)
  }

/** The path of the queue of the repository of a test. */
export const repo = "/v1/repos/acme/widgets"

/** A request with a JSON body. */
export const json = (method: string, body: unknown): Call => ({
  method,
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body)
})

/** A request with a configuration file. */
export const yaml = (body: string, type = "application/yaml"): Call => ({
  method: "PUT",
  headers: { "content-type": type },
  body
})

/** An event about pull request 7 in the queue of `main`. */
export const event = (id: string, at: string, kind: string, fields: object = {}) => ({
  id,
  at: `2026-06-30T${at}Z`,
  branch: "main",
  pull_request: 7,
  kind,
  ...fields
})

/** Records events and yields the answer. */
export const record = (server: Server, ...events: ReadonlyArray<unknown>) =>
  server.json(`${repo}/queue/events`, json("POST", { events }))

/** The status of an answer, and its body as JSON, null when it has none. */
export const answer = async (server: Server, path: string, call?: Call) => {
  const response = await server.send(path, call)
  const text = await response.text()
  return { status: response.status, body: text === "" ? null : JSON.parse(text) }
}

/** Pull request 6 has been merged after 20 minutes of checks, and 7 is checked on a draft. */
export const story = (server: Server, check: object) =>
  record(
    server,
    event("a", "09:00:00", "queued", { pull_request: 6 }),
    event("b", "09:00:00", "checks_started", { pull_request: 6, check_type: "in_place" }),
    event("c", "09:20:00", "merged", { pull_request: 6 }),
    event("d", "11:50:00", "queued", { priority: "high" }),
    event("e", "11:51:00", "checks_started", { check_type: "draft_pr", check_pull_request: 90 }),
    event("f", "11:52:00", "check_updated", { check, evaluated_conditions: "- [X] unit" })
  )

const ref = { owner: "acme", repository: "widgets" }

/** The file of a gate that requires the check `unit`. */
export const gateFile = "merge_queue: {mode: gate, shadow: false, required_checks: [unit]}\n"

const configuration = { ...EngineConfiguration.defaults, mode: "gate", requiredChecks: ["unit"] } as const

const pullSeen = (number: number): EngineEvent.EngineEvent => ({
  kind: "pull_seen",
  pull: {
    number,
    state: "open",
    draft: false,
    head: `h${number}`,
    base: "main",
    mergeable: true,
    approved: true,
    blockedBy: null,
    version: now
  }
})

/** A gate whose engine has read open pull requests, a queue with some of them, and a group with the first. */
export const gated = async (
  server: Server,
  { open, queued }: { readonly open: ReadonlyArray<number>; readonly queued: ReadonlyArray<number> }
): Promise<void> => {
  await server.send(`${repo}/queues/configuration`, yaml(gateFile))
  const members = queued.map((number) => ({ number, head: `h${number}` }))
  const causes: ReadonlyArray<EngineEvent.EngineEvent> = [
    { kind: "config_read", digest: "d", mode: "gate", shadow: false },
    { kind: "rules_seen", rules: [{ kind: "required_check", name: "unit", isOurs: false }] },
    ...open.map(pullSeen),
    { kind: "queue_seen", members },
    { kind: "group_seen", group: { id: "g1", tree: "t1", onto: "m0", members: members.slice(0, 1) } }
  ]
  await server.run(
    EngineStore.use((store) =>
      store.append(ref, "main", {
        at: now,
        causes,
        decide: (state) => EngineDecision.decide(state, configuration, now)
      })
    )
  )
}
