import { assert, describe, it } from "@effect/vitest"
import { Page } from "@lazaret/domain"
import { MergeQueues } from "@lazaret/services"
import { EventStore } from "@lazaret/store"
import { Effect } from "effect"
import { ref } from "../builders.ts"
import { gate, start } from "./service.ts"
import * as Platform from "./simpleQueue.ts"

type Service = Effect.Success<ReturnType<typeof start>>

const file = (more = "", shadow = false) => `${gate(shadow)}\n${more}`

const events = ({ run }: Service) =>
  Effect.map(
    run(
      EventStore.use((store) =>
        store.page(ref, { types: ["queue.evicted", "queue.healed"], from: Page.start, limit: 10 })
      )
    ),
    ({ rows }) => rows.toReversed()
  )

const notesOf = ({ notes }: Service, number: number) => notes.get(number) ?? []

/** A pull request whose group fails for good, and leaves. */
const evict = (service: Service, number: number, test?: string) =>
  Effect.gen(function* () {
    const id = Platform.enter(service.platform, number)
    yield* service.look
    service.fails(id, "real")
    const failures = service.judged.get(id)?.failures ?? []
    if (test !== undefined)
      service.judged.set(id, { attempt: 1, failures: failures.map((each) => ({ ...each, test })) })
    yield* service.look
    Platform.evict(service.platform, number)
    yield* service.look
  })

describe("outcomes of pull requests in the queue", () => {
  it.effect("an eviction is an event, a comment and an answer, each once", () =>
    Effect.gen(function* () {
      const service = yield* start(file())
      yield* evict(service, 1)
      yield* service.look
      const [event, ...others] = yield* events(service)
      assert.deepStrictEqual(others, [])
      assert.strictEqual(
        event?.summary,
        "#1 left the merge queue. unit (adds) failed. The failure is judged to be caused by this change."
      )
      assert.deepInclude(event?.detail, {
        pullRequests: [1],
        reason: "checks_failed",
        checks: ["unit"],
        tests: [{ check: "unit", test: "adds", verdict: "real" }],
        attempts: 1
      })
      const [note, ...more] = notesOf(service, 1)
      assert.deepStrictEqual(more, [])
      assert.match(note?.body ?? "", /^<!-- lazaret:queue -->\n\n\*\*.*left the merge queue/u)
      assert.include(note?.body, "https://lazaret.test/")
      const fates = yield* service.run(MergeQueues.use((queues) => queues.fates(ref, 1)))
      assert.deepStrictEqual(
        fates.map(({ number, outcome, reason }) => [number, outcome, reason]),
        [[1, "evicted", "checks_failed"]]
      )
    })
  )

  it.effect("a rerun that passes is an event, and updates the comment of an earlier outcome in place", () =>
    Effect.gen(function* () {
      const service = yield* start(file())
      yield* evict(service, 1)
      const again = Platform.enter(service.platform, 1)
      Platform.build(service.platform, 1, `${again}.2`)
      service.judged.clear()
      Platform.check(service.platform, `${again}.2`, "pending")
      yield* service.look
      service.fails(`${again}.2`, "flaky")
      yield* service.look
      Platform.check(service.platform, `${again}.2`, "success", 2)
      yield* service.look
      assert.deepStrictEqual(
        (yield* events(service)).map(({ detail, type }) => [type, detail["reason"], detail["attempts"]]),
        [
          ["queue.evicted", "checks_failed", 1],
          ["queue.healed", "rerun_passed", 2]
        ]
      )
      const notes = notesOf(service, 1)
      assert.lengthOf(notes, 1)
      assert.include(notes[0]?.body, "was kept in the merge queue")
    })
  )

  it.effect("names of tests in the comment mention nobody, and hold no Markdown, HTML or secret", () =>
    Effect.gen(function* () {
      const service = yield* start(file())
      yield* evict(service, 1, "<img src=x> @everyone [a](b) the-secret")
      const [note] = notesOf(service, 1)
      for (const part of ["<img", "@everyone", "[a](b)", "the-secret"]) assert.notInclude(note?.body, part)
    })
  )

  it.effect("at GitLab the comment names merge requests with their sign", () =>
    Effect.gen(function* () {
      const service = yield* start(file(), "gitlab")
      yield* evict(service, 1)
      const [note] = notesOf(service, 1)
      assert.match(note?.body ?? "", /\\?!1 left the merge queue/u)
      assert.notMatch(note?.body ?? "", /#\u200b?\d/u)
    })
  )

  it.effect("neither a gate in the shadow nor one whose comments are off writes a comment; the event is there", () =>
    Effect.gen(function* () {
      for (const text of [file("", true), file("  comments: off")]) {
        const service = yield* start(text)
        yield* evict(service, 1)
        assert.deepStrictEqual([notesOf(service, 1), (yield* events(service)).length], [[], 1])
      }
    })
  )
})
