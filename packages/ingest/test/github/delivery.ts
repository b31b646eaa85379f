/** Payloads of GitHub and the deliveries that they are, for tests. */
import { readFileSync } from "node:fs"
import { assert } from "@effect/vitest"
import { GitHubWebhook } from "@lazaret/ingest"
import { Result } from "effect"

/** Any JSON. */
export type Json = ReturnType<typeof JSON.parse>

/** The payload in a fixture. */
export const fixture = (name: string): Json =>
  JSON.parse(readFileSync(new URL(`../fixtures/github/${name}.json`, import.meta.url), "utf8"))

/** A payload with some fields changed, by path. */
export const changed = (name: string, changes: Readonly<Record<string, unknown>>): Json => {
  const payload = fixture(name)
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split(".")
    const last = keys.pop() ?? ""
    keys.reduce((object, key) => object[key], payload)[last] = value
  }
  return payload
}

/** The delivery that a payload is. */
export const read = (event: string, payload: unknown): GitHubWebhook.Delivery =>
  Result.getOrThrowWith(GitHubWebhook.read(event, payload), (refusal) => new Error(JSON.stringify(refusal)))

/** The reason why a payload is ignored. */
export const reasonOf = (event: string, payload: unknown): string => {
  const refusal = Result.getOrThrow(Result.flip(GitHubWebhook.read(event, payload)))
  return refusal.kind === "ignored" ? refusal.reason : assert.fail(JSON.stringify(refusal.faults))
}

/** The paths of the faults of a malformed payload. */
export const faultsOf = (event: string, payload: unknown): ReadonlyArray<string> => {
  const refusal = Result.getOrThrow(Result.flip(GitHubWebhook.read(event, payload)))
  return refusal.kind === "malformed" ? refusal.faults.map(({ path }) => path) : assert.fail(refusal.reason)
}
