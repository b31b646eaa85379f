import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Instant } from "@lazaret/domain"
import { QueueCommand } from "@lazaret/queue"
import { Audits, Forge, QueueCommands, type RunCommands, queueCommands, QueueForge, Queues } from "@lazaret/services"
import { EngineStore, EventStore, RepositoryStore } from "@lazaret/store"
import { Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { noon, ref } from "../builders.ts"
import * as SimpleForge from "../platform/simpleForge.ts"
import { gate, setupOf, start } from "./service.ts"
import * as Platform from "./simpleQueue.ts"

type Asked = Parameters<RunCommands>[1]

/** A gate with pull request 7, which `cleo` opened; `ada` may write, `bob` may read. */
const scenario = Effect.fnUntraced(function* (file = gate(false), host: "github" | "gitlab" = "github") {
  const service = yield* start(file, host)
  const { context, look, platform, run } = service
  Platform.open(platform, 7)
  platform.permissions.set("ada", "write").set("bob", "read").set("cleo", "read")
  yield* run(RepositoryStore.use((store) => store.change(ref, (held) => ({ ...held, defaultBranch: "main" }), noon)))
  yield* look
  const forge = SimpleForge.make()
  const built = yield* Layer.build(
    Layer.fresh(
      queueCommands({ redact: (text) => text.replaceAll("hunter2", "***") }).pipe(
        Layer.provide(Audits.layer),
        Layer.provide([
          Layer.succeed(QueueForge, platform.forge),
          Layer.succeed(Forge, forge.forge),
          setupOf(host),
          Layer.succeedContext(context)
        ])
      )
    )
  )
  const answersTo = (asked: Asked) =>
    Effect.provide(
      Effect.flatMap(QueueCommands, (commands) => commands.run(ref, asked)),
      built
    ).pipe(
      Effect.map((answered) => (answered._tag === "CommandsAnswered" ? answered.answers : answered.reason)),
      Effect.catchTag("DeliveryRefused", ({ reason }) => Effect.succeed(reason))
    )
  const comment = (by: string, text: string, source = `comment ${text} ${by}`, at = noon) =>
    answersTo({
      source,
      number: 7,
      author: "cleo",
      by,
      how: { _tag: "Comment", at, commands: QueueCommand.parse(text) }
    })
  const label = (by: string, name: string, isAdded: boolean) =>
    answersTo({
      source: `delivery ${by} ${name} ${isAdded}`,
      number: 7,
      author: "cleo",
      by,
      how: { _tag: "Label", label: name, isAdded }
    })
  const labels = (by: string, added: ReadonlyArray<string>, removed: ReadonlyArray<string>) =>
    answersTo({
      source: `delivery ${by} +${added.join()} -${removed.join()}`,
      number: 7,
      author: "cleo",
      by,
      how: { _tag: "Labels", added, removed }
    })
  return { ...service, forge, comment, label, labels, notes: () => (forge.notes.get(7) ?? []).map(({ body }) => body) }
})

const entersOf = ({ writes }: Platform.SimpleQueue) => writes.filter((write) => /^(?:en|de)queue /u.test(write))

describe("commands to the merge queue", () => {
  test("a person who may write puts a pull request into the queue and takes it out, each with one answer", function* () {
    const { comment, look, notes, platform, run } = yield* scenario()
    assert.deepStrictEqual(yield* comment("ada", "@lazaret queue"), ["#7 is put into the merge queue of `main`."])
    yield* look
    assert.deepStrictEqual(entersOf(platform), ["enqueue 7"])
    yield* look
    assert.deepStrictEqual(yield* comment("ada", "@lazaret dequeue"), ["#7 is taken out of the merge queue of `main`."])
    yield* look
    assert.deepStrictEqual(entersOf(platform), ["enqueue 7", "dequeue 7"])
    assert.lengthOf(notes(), 2)
    const log = yield* run(EventStore.use((store) => store.after(ref, 0, 9)))
    assert.deepStrictEqual(
      log.flatMap(({ actor, detail, type }) => (type === "queue.commanded" ? [[actor, detail["commands"]]] : [])),
      [
        ["GitHub user ada", ["@lazaret queue"]],
        ["GitHub user ada", ["@lazaret dequeue"]]
      ]
    )
  })

  test("at GitLab a merge request has its sign, and the person the name of the platform", function* () {
    const { comment, look, notes, run } = yield* scenario(gate(false), "gitlab")
    assert.deepStrictEqual(yield* comment("ada", "@lazaret queue"), ["!7 is put into the merge queue of `main`."])
    yield* look
    assert.match(`${yield* comment("ada", "@lazaret why")}`, /^!7/u)
    assert.notMatch(notes().join(), /#\d/u)
    const log = yield* run(EventStore.use((store) => store.after(ref, 0, 9)))
    assert.deepStrictEqual(
      log.flatMap(({ actor, type }) => (type === "queue.commanded" ? [actor] : [])),
      ["GitLab user ada", "GitLab user ada"]
    )
  })

  test("of several labels that change at once only the queue's counts, and one that is put on counts more", function* () {
    const { labels, look, notes, platform } = yield* scenario(`${gate(false)}\n  queue_when: [label]`, "gitlab")
    assert.strictEqual(yield* labels("ada", ["bug"], ["urgent"]), "no queue is asked by this label")
    assert.deepStrictEqual(yield* labels("ada", ["bug", "queue"], ["urgent"]), [
      "!7 is put into the merge queue of `main`."
    ])
    yield* look
    yield* look
    assert.strictEqual(yield* labels("ada", ["bug", "queue"], ["urgent"]), "replayed")
    assert.strictEqual(yield* labels("bob", [], ["queue"]), "bob may not write to the repository")
    assert.deepStrictEqual(yield* labels("ada", ["bug"], ["queue"]), ["!7 is taken out of the merge queue of `main`."])
    yield* look
    assert.deepStrictEqual([entersOf(platform), notes()], [["enqueue 7", "dequeue 7"], []])
  })

  test("(27) a comment counts once, also when its deliveries come at the same time", function* () {
    const { comment, look, notes, platform } = yield* scenario()
    const twice = [comment("ada", "@lazaret queue"), comment("ada", "@lazaret queue")]
    const answers = yield* Effect.all(twice, { concurrency: 2 })
    assert.sameDeepMembers(answers, ["replayed", ["#7 is put into the merge queue of `main`."]])
    yield* look
    assert.strictEqual(yield* comment("ada", "@lazaret queue"), "replayed")
    assert.deepStrictEqual([entersOf(platform), notes().length], [["enqueue 7"], 1])
  })

  test("the permission at the platform decides: strangers are not heard, authors may only take out", function* () {
    const { comment, look, notes, platform } = yield* scenario()
    for (const by of ["bob", "nobody"]) {
      for (const text of ["@lazaret queue", "@lazaret dequeue", "@lazaret rerun", "@lazaret merge"]) {
        assert.strictEqual(yield* comment(by, text), `${by} may not write to the repository`)
      }
    }
    assert.strictEqual(yield* comment("nobody", "@lazaret why"), "nobody may not write to the repository")
    assert.deepStrictEqual([entersOf(platform), notes()], [[], []])
    assert.deepStrictEqual(yield* comment("cleo", "@lazaret queue"), [
      "This needs the permission to write to the repository."
    ])
    yield* comment("ada", "@lazaret queue")
    yield* look
    yield* look
    assert.deepStrictEqual(yield* comment("cleo", "@lazaret dequeue"), [
      "#7 is taken out of the merge queue of `main`."
    ])
    assert.match((yield* comment("bob", "@lazaret why"))[0] ?? "", /^#7/u)
  })

  test("a platform that does not say who may ask is waited for five seconds: it takes a delivery back after ten", function* () {
    const { comment, platform } = yield* scenario()
    platform.isSilent = true
    const answer = yield* Effect.forkChild(comment("ada", "@lazaret queue"))
    yield* TestClock.adjust("5 seconds")
    assert.match(`${yield* Fiber.join(answer)}`, /no answer in time/u)
    assert.deepStrictEqual(entersOf(platform), [])
  })

  test("several commands are carried out in their order and answered in one comment, unknown ones too", function* () {
    const { comment, notes } = yield* scenario()
    const answers = yield* comment(
      "ada",
      "@lazaret merge\n@lazaret queue hotfix\n@lazaret priority high\n@lazaret queue"
    )
    assert.match(answers[0] ?? "", /^This command does not exist/u)
    assert.match(answers[1] ?? "", /neither rules nor priorities/u)
    assert.match(answers[2] ?? "", /neither rules nor priorities/u)
    assert.strictEqual(answers[3], "#7 is put into the merge queue of `main`.")
    assert.lengthOf(notes(), 1)
    assert.deepStrictEqual(QueueCommand.parse(notes()[0] ?? ""), [])
  })

  test("(66) a pull request that was pushed is queued at its head of now, and a closed one is not", function* () {
    const { comment, look, platform, run } = yield* scenario()
    const pull = platform.pulls.get(7)
    if (pull === undefined) return assert.fail("the pull request is missing")
    platform.pulls.set(7, { ...pull, head: "pushed" })
    yield* comment("ada", "@lazaret queue")
    const parked = yield* run(EngineStore.use((store) => store.state(ref, "main")))
    const entering = parked.inflight.flatMap(({ command }) => (command.kind === "enqueue" ? [command.member] : []))
    assert.deepStrictEqual(entering, [{ number: 7, head: "pushed" }])
    yield* look
    Platform.close(platform, 7)
    assert.deepStrictEqual(yield* comment("ada", "@lazaret queue", "later"), [
      "No merge queue of this repository knows an open pull request #7."
    ])
  })

  test("a queue in the shadow, or a mirrored one, says that it takes no requests", function* () {
    for (const file of [gate(true), "merge_queue: {mode: mirror, branches: [main]}"]) {
      const { comment, look, platform } = yield* scenario(file)
      yield* look
      const [answer] = yield* comment("ada", "@lazaret queue")
      assert.match(answer ?? "", /takes no requests|knows an open pull request/u)
      assert.deepStrictEqual(entersOf(platform), [])
    }
  })

  test("a label asks for the queue where the file says so, and its removal takes the pull request out", function* () {
    const silent = yield* scenario()
    assert.strictEqual(yield* silent.label("ada", "queue", true), "no queue is asked by this label")
    const { label, look, notes, platform } = yield* scenario(`${gate(false)}\n  queue_when: [label]\n  label: ship`)
    assert.strictEqual(yield* label("ada", "queue", true), "no queue is asked by this label")
    assert.strictEqual(yield* label("bob", "ship", true), "bob may not write to the repository")
    yield* label("ada", "ship", true)
    yield* look
    yield* look
    yield* label("ada", "ship", false)
    yield* look
    assert.deepStrictEqual([entersOf(platform), notes()], [["enqueue 7", "dequeue 7"], []])
  })

  test("commands in comments can be switched off, and a comment of the day before counts no more", function* () {
    const { comment } = yield* scenario(`${gate(false)}\n  queue_when: [label]`)
    assert.strictEqual(yield* comment("ada", "@lazaret queue"), "commands in comments are switched off")
    const { comment: later } = yield* scenario()
    assert.strictEqual(
      yield* later("ada", "@lazaret queue", "old", noon - 2 * Instant.day),
      "the comment is older than a day"
    )
  })

  test("a platform that does not say what a person may do lets nothing through, and the delivery may come again", function* () {
    const { comment, platform } = yield* scenario()
    platform.isDown = true
    assert.match(String(yield* comment("ada", "@lazaret queue")), /did not say what the person may do/u)
    platform.isDown = false
    assert.deepStrictEqual(yield* comment("ada", "@lazaret queue"), ["#7 is put into the merge queue of `main`."])
  })

  test("an answer that the platform refuses loses nothing: the command was carried out", function* () {
    const { comment, forge, look, platform } = yield* scenario()
    forge.faults.push(null, { when: "before", reason: "refused" })
    assert.isTrue(Result.isSuccess(yield* Effect.result(comment("ada", "@lazaret queue"))))
    yield* look
    assert.deepStrictEqual(entersOf(platform), ["enqueue 7"])
  })

  test("an answer holds no secret, and shows what other people wrote as plain text", function* () {
    const { comment, look, notes, platform, run } = yield* scenario()
    const id = Platform.enter(platform, 7)
    platform.checks.set(id, [{ name: "unit", state: "pending", attempt: 1 }])
    yield* look
    assert.match((yield* comment("bob", "@lazaret why"))[0] ?? "", /^#7: Waiting for the required checks/u)
    yield* run(Queues.use((queues) => queues.pause(ref, "hunter2 <b>@everyone</b>", "ana")))
    yield* look
    const [answer = ""] = yield* comment("bob", "@lazaret why\n@lazaret `@team`")
    assert.match(answer, /Paused by ana\\: \*\*\*|Paused by ana\\: \\\*/u)
    assert.notMatch(notes().join("\n"), /hunter2|<b>|@everyone/u)
    assert.include(notes()[1], "`` @lazaret `@team` ``")
  })
})
