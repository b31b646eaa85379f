/** Sends requests that are derived from the API description, and judges the answers. */
import { CauseRounds, CostRounds } from "@lazaret/services"
import * as fc from "fast-check"
import { event, gated, record } from "../queue.ts"
import { junit, now, repository, serve, upload } from "../wire.ts"
import { signature, takesDeliveries } from "../github.ts"
import * as GitLab from "../gitlab.ts"
import { complaints } from "./judge.ts"
import { type Known, type Request, requests } from "./requests.ts"

/** The outcome of a run. */
export interface Outcome {
  readonly sent: number
  /** How often each operation answered with each status. */
  readonly statuses: ReadonlyMap<string, number>
  readonly complaints: ReadonlyArray<string>
}

const batch = 250

/** Sends `count` requests, and up to six times as many while there is something missing; the same seed sends the same ones. */
export const run = async (
  count: number,
  seed: number,
  isMissing: (statuses: Outcome["statuses"]) => boolean = () => false
): Promise<Outcome> => {
  await using server = await serve({ config: { ...takesDeliveries, ...GitLab.takesDeliveries } })
  const arbitrary = requests(await populate(server))
  const statuses = new Map<string, number>()
  const found: Array<string> = []
  let sent = 0
  while (sent < count || (sent < 6 * count && isMissing(statuses))) {
    const numRuns = sent < count ? Math.min(batch, count - sent) : batch
    for (const request of fc.sample(arbitrary, { numRuns, seed: seed + sent })) {
      const response = await send(server, request)
      const answer = { status: response.status, headers: response.headers, text: await response.text() }
      const key = `${request.operation["operationId"]} ${answer.status}`
      statuses.set(key, (statuses.get(key) ?? 0) + 1)
      found.push(...complaints(request, answer).map((complaint) => `${complaint}: ${shown(request)}`))
    }
    sent += numRuns
  }
  return { sent, statuses, complaints: found }
}

const send = (server: Awaited<ReturnType<typeof serve>>, request: Request): Promise<Response> =>
  server.send(request.path, {
    method: request.method,
    token: request.token,
    headers: { ...(request.contentType === null ? {} : { "content-type": request.contentType }), ...signed(request) },
    ...(request.body === null ? {} : { body: request.body })
  })

const events = ["ping", "pull_request", "merge_group", "check_run", "check_suite", "status", "push"]

/** Deliveries of webhooks are signed, so that requests reach what is behind the signature. */
const signed = ({ body, operation }: Request): Record<string, string> => {
  if (operation["operationId"] === "receiveGitLabEvent") return { "x-gitlab-token": GitLab.secret }
  if (operation["operationId"] !== "receiveGitHubEvent") return {}
  const text = body ?? ""
  return {
    "x-github-event": events[text.length % events.length] ?? "ping",
    "x-hub-signature-256": signature(text)
  }
}

const shown = ({ body, contentType, method, path, token }: Request): string =>
  JSON.stringify({ method, path: path.slice(0, 1000), token, contentType, body: body?.slice(0, 1000) })

/** The ids of sessions of browsers that have signed in. */
const openSessions = async (server: Awaited<ReturnType<typeof serve>>): Promise<ReadonlyArray<string>> => {
  for (let index = 0; index < 40; index += 1) {
    await server.send("/session", {
      method: "POST",
      token: null,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key: "ci-token" })
    })
  }
  const { sessions } = await server.json("/v1/sessions")
  return sessions.map(({ id }: { readonly id: string }) => id)
}

/** The ids of roles that were given. */
const rolesOf = async (server: Awaited<ReturnType<typeof serve>>): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let index = 0; index < 10; index += 1) {
    const role = await server.json("/v1/roles", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ login: `ada${index}`, provider: "github", role: "viewer", owner: "acme" })
    })
    ids.push(role.id)
  }
  return ids
}

/** Something of everything, so that requests find what they ask for. */
const populate = async (server: Awaited<ReturnType<typeof serve>>): Promise<Known> => {
  const hour = 3_600_000
  await upload(server, { commit: "c1", at: now - 3 * hour, xml: junit({ "checkout > pays": "failed", a: "passed" }) })
  await upload(server, { commit: "c1", at: now - 2 * hour, xml: junit({ "checkout > pays": "passed" }), run: "2" })
  await upload(server, { commit: "c2", at: now - hour, xml: junit({ "checkout > pays": "failed" }), job: "slow" })
  const { tests } = await server.json(`${repository}/search/tests?test_name=checkout*`)
  const testId: string = tests[0].test_id
  const { failures } = await server.json(`${repository}/tests/${testId}/failures`)
  const judged = await server.json(`${repository}/commits/c2/failures`)
  const ids: Array<string> = []
  const keys: Array<string> = []
  for (let index = 0; index < 40; index += 1) {
    const issued = await server.json("/v1/application-keys", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: `key ${index}`, scope: "ci", owner: "acme" })
    })
    keys.push(issued.id)
  }
  for (let index = 0; index < 40; index += 1) {
    const created = await server.json(`${repository}/quarantines`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ test_name: `checkout > pays ${index}`, reason: "r" })
    })
    ids.push(created.id)
  }
  const webhooks: Array<string> = []
  for (let index = 0; index < 10; index += 1) {
    const made = await server.json(`${repository}/webhooks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: "https://example.com/hook", secret: "a secret that is long" })
    })
    webhooks.push(made.id)
  }
  const notifiers: Array<string> = []
  for (let index = 0; index < 10; index += 1) {
    const made = await server.json(`${repository}/notifiers`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ channel: { kind: "email", to: ["ada@example.com"] } })
    })
    const wide = await server.json("/v1/notifiers", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ channel: { kind: "email", to: ["ada@example.com"] }, repositories: ["acme/*"] })
    })
    notifiers.push(made.id, wide.id)
  }
  const { test_aliases: aliases } = await server.json(`${repository}/test-aliases`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      test_aliases: Array.from({ length: 20 }, (_, index) => ({ from: `early ${index}`, to: `late ${index}` }))
    })
  })
  const numbers = Array.from({ length: 40 }, (_, number) => number)
  for (const number of numbers) {
    const pull = JSON.stringify({ id: 900 + number, number, title: "Pay with a card", user: { id: 5, login: "ada" } })
    await upload(server, { commit: `p${number}`, at: now - hour, xml: junit({ "checkout > pays": "failed" }), pull })
  }
  await record(server, ...numbers.map((each) => event(`q${each}`, "11:00:00", "queued", { pull_request: each })))
  await gated(server, { open: numbers, queued: numbers.slice(0, 30) })
  server.setNow(now + hour)
  await server.run(CauseRounds.use(({ round }) => round))
  await server.run(CostRounds.use(({ round }) => round))
  server.setNow(now)
  const { causes } = await server.json(`${repository}/causes`)
  return {
    owner: ["acme", "Acme"],
    repository: ["widgets", "WIDGETS", "unknown"],
    test_id: [testId],
    failure_id: [failures[0].id],
    execution_id: [judged.failures[0].execution_id],
    quarantine_id: ids,
    key_id: keys,
    session_id: await openSessions(server),
    role_id: await rolesOf(server),
    webhook_id: webhooks,
    alias_id: aliases.map(({ id }: { readonly id: string }) => id),
    cause_id: causes.map(({ id }: { readonly id: string }) => id),
    notifier_id: notifiers,
    test_name: ["checkout*", "a"],
    job_name: ["unit", "slow"],
    pipeline_name: ["CI"],
    commit: ["c1", "c3"],
    run_id: ["2"],
    branch: ["main", "topic"],
    number: numbers.map(String),
    pull_request: ["12", `{"id":1,"number":2,"title":"t","user":{"id":3,"login":"l"}}`]
  }
}
