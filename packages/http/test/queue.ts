/**
 * The merge queue over the wire, as tests ask for it.
 */
import type { Call, serve } from "./wire.ts"

/** A server of a test. */
export type Server = Awaited<ReturnType<typeof serve>>

/** Where the queue of the repository of a test is. */
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
