/** Acts of people in the demonstration: a quarantine with an end, a word on a failure, and a merge queue. */
import { type CommandFailure, type Session, both } from "@lazaret/cli"
import type { PullRef, Repository } from "@lazaret/domain"
import { Effect } from "effect"
import * as Timeline from "./Timeline.ts"

/** The repository, the open pull request, and the instant, in epoch milliseconds. */
export interface Scene {
  readonly repo: Repository.RepositoryRef
  readonly pull: PullRef.PullRef
  readonly now: number
}

type Done<A> = Effect.Effect<A, CommandFailure.CommandFailure>

/** Whether it was done: not where the server answers with this status. */
const unless =
  (expected: number) =>
  (done: Done<unknown>): Done<boolean> =>
    done.pipe(
      Effect.as(true),
      Effect.catchIf(
        ({ status }) => status === expected,
        () => Effect.succeed(false)
      )
    )

const conflict = 409

const forbidden = 403

/**
 * Quarantines a test for two weeks, with an owner and a ticket; yields whether it was done, which an earlier demonstration may
 * have done.
 */
export const quarantine = (session: Session.Session, { now, repo }: Scene, test_name: string): Done<boolean> =>
  Effect.gen(function* () {
    const payload = { test_name, reason: "Times out on slow machines." }
    const { value } = yield* session.call(test_name, (api) => api.createQuarantine({ params: repo, payload, ...both }))
    const params = { ...repo, quarantine_id: value.id }
    const life = {
      expires_at: now + 14 * Timeline.day,
      owner: "@acme/platform",
      ticket: "https://example.com/acme/demo/issues/12",
      scope: "every_run"
    } as const
    yield* session.call(test_name, (api) => api.setQuarantineLife({ params, payload: life, ...both }))
  }).pipe(unless(conflict))

/** The verdicts on the failures of the open pull request. */
export const judge = (session: Session.Session, { pull, repo }: Scene) =>
  Effect.map(
    session.call(`pull request ${pull.number}`, (api) =>
      api.listPullRequestFailures({
        params: { ...repo, number: pull.number },
        query: { per_page: 100 },
        ...both
      })
    ),
    ({ value }) => value.body
  )

/** Asks for the verdicts, and says of the failure of a test that it was flaky. */
export const markFlaky = Effect.fnUntraced(function* (session: Session.Session, scene: Scene, testName: string | null) {
  const { failures } = yield* judge(session, scene)
  const failure = failures.find(({ test_name }) => test_name === testName)
  if (failure === undefined || failure.execution_id === null) return
  const params = { ...scene.repo, test_id: failure.test_id, execution_id: failure.execution_id }
  yield* session.call(failure.test_name, (api) => api.markFailure({ params, payload: { truth: "flaky" }, ...both }))
})

const rules = `queue_rules:
  - name: urgent
    batch_size: 1
  - name: default
    batch_size: 4
`

/**
 * Fills a merge queue: two merged pull requests, one with its checks, and two that wait; yields whether the key may, which an
 * admin key may.
 */
export const fillQueue = (session: Session.Session, scene: Scene): Done<boolean> =>
  Effect.gen(function* () {
    const { repo: params } = scene
    yield* session.call("queue", (api) =>
      api.recordQueueEvents({ params, payload: { events: eventsOf(scene) }, ...both })
    )
    yield* session.call("queue", (api) => api.putQueuesConfiguration({ params, payload: rules, ...both }))
  }).pipe(unless(forbidden))

const check = (name: string, state: "success" | "pending") => ({
  name,
  description: `${name} tests`,
  url: `https://ci.example.com/checks/${name}`,
  state,
  avatarUrl: null
})

const eventsOf = ({ now, pull }: Scene) => {
  const day = Math.floor(now / Timeline.day)
  const at = (minutesAgo: number) => now - minutesAgo * Timeline.minute
  const of = (offset: number) => ({ branch: "main", pullRequest: pull.number + offset })
  const merged = (offset: number, from: number) => [
    { kind: "queued", ...of(offset), at: at(from) } as const,
    { kind: "checks_started", ...of(offset), checkType: "in_place", at: at(from - 1) } as const,
    { kind: "checks_ended", ...of(offset), state: "success", at: at(from - 15) } as const,
    { kind: "merged", ...of(offset), at: at(from - 16) } as const
  ]
  return [
    ...merged(1, 95),
    ...merged(2, 70),
    { kind: "queued", ...of(3), priority: 3000, queueRule: "urgent", at: at(9) } as const,
    { kind: "checks_started", ...of(3), checkType: "in_place", at: at(8) } as const,
    { kind: "check_updated", ...of(3), check: check("unit", "success"), at: at(4) } as const,
    { kind: "check_updated", ...of(3), check: check("browser", "pending"), at: at(3) } as const,
    { kind: "queued", ...of(4), at: at(7) } as const,
    { kind: "queued", ...of(5), priority: 1000, at: at(5) } as const
  ].map((event, index) => ({ id: `demo ${day} ${index}`, ...event }))
}
