/** A driven queue from end to end at GitLab: one server, a simulated GitLab, its deliveries, and the command line. */
import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Lab, SimulatedGitLab } from "@lazaret/forge-simulated"
import { EnginePace } from "@lazaret/services"
import { Context, Effect, Layer } from "effect"
import { run } from "./lazaretEffect.ts"
import { address, admin, lazaret, serverOf, settingsOf, untilAnswer } from "./platformServer.ts"

class GitLab extends Context.Service<GitLab, SimulatedGitLab.SimulatedGitLab>()("test/GitLab") {}

const token = "glpat-0123456789abcdefghij"

const connected = Layer.unwrap(
  Effect.gen(function* () {
    const gitLab = yield* GitLab
    gitLab.addAccount(token, "lazaret")
    const settings = yield* settingsOf(
      { LAZARET_GITLAB_URL: gitLab.url },
      { LAZARET_GITLAB_TOKEN: token, LAZARET_GITLAB_WEBHOOK_SECRET: gitLab.webhookSecret }
    )
    return serverOf(settings)
  })
).pipe(
  Layer.provideMerge(Layer.effect(GitLab, SimulatedGitLab.start)),
  // Deliveries alone wake the queue: without one it would read again after a minute.
  Layer.provide(Layer.succeed(EnginePace, { pause: 10, every: 10, busy: 60_000, idle: 60_000 }))
)

const path = ".lazaret/queue.yml"

const fileOf = (isShadow: boolean) =>
  [
    `merge_queue: {mode: drive, shadow: ${isShadow}, required_checks: [pipeline]}`,
    "queue_rules:",
    "  - {name: default, batch_size: 2, batch_max_wait_time: 0s, queue_branch_merge_method: fast-forward}"
  ].join("\n")

/** A project whose queue is driven, and its deliveries. */
const driven = Effect.fnUntraced(function* (name: string) {
  const gitLab = yield* GitLab
  const project = gitLab.addProject({
    path: `acme/${name}`,
    members: { [token]: "maintainer" },
    files: { [path]: fileOf(false) }
  })
  const { objects } = project
  Object.assign(project.settings, { ci: ["unit"] })
  const tree = objects.tree(null, { readme: "hello" })
  const first = objects.write({ tree, parents: [], message: "first" })
  project.branches.set("main", first)
  const hook = `${yield* address}/v1/webhooks/gitlab`
  const send = (...sent: ReadonlyArray<SimulatedGitLab.Sent>) => gitLab.deliver(hook, sent)
  const open = (file: string) => {
    const changed = objects.tree(tree, { [file]: file })
    const author = { name: "Ada", email: "ada@example.com" }
    const head = objects.write({ tree: changed, parents: [first], message: "change", author })
    const opened = gitLab.open(project, { head })
    gitLab.addPipeline(project, { sha: head, ref: opened.source, status: "success" })
    return opened
  }
  const comment = (on: Lab.MergeRequest, by: string, note: string) => {
    const author = gitLab.server.lab.accounts.get(by)
    assert.isDefined(author)
    return send(SimulatedGitLab.noteHook(project, on, { id: Lab.nextId(gitLab.server.lab), note, author }))
  }
  const command = (...args: ReadonlyArray<string>) => lazaret(["queue", ...args, "--repo", `acme/${name}`])
  const engine = Effect.map(command("chain"), ({ engines }) => engines[0])
  const pushed = send(SimulatedGitLab.pushHook(project, [path]))
  return { gitLab, project, send, open, comment, command, engine, pushed }
})

type Driven = Effect.Success<ReturnType<typeof driven>>

/** The jobs on the branches of the queue end, and the server hears of it. */
const finish = ({ project, send }: Driven) =>
  Effect.suspend(() => {
    for (const { name, sha, status } of project.statuses) {
      if (status === "running") Lab.finish(project, { name, sha, status: "success" })
    }
    const ended = project.pipelines.filter(({ ref, status }) => ref.startsWith("lazaret/") && status === "success")
    return send(...ended.slice(-1).map((pipeline) => SimulatedGitLab.pipelineHook(project, pipeline)))
  })

layer(connected, { excludeTestServices: true })("a driven queue at GitLab from end to end", (it) => {
  const test = stepsOf(it)
  test("notes queue merge requests, which are tested together and land; numbers have the sign of GitLab", function* () {
    const queue = yield* driven("landing")
    assert.deepStrictEqual(yield* queue.pushed, [202])
    yield* queue.command("waive-trial", "--reason", "a test")
    yield* untilAnswer(queue.engine, ({ is_acting }) => is_acting === true)
    const [one, two] = [queue.open("a"), queue.open("b")]
    yield* queue.command("pause", "--reason", "a batch")
    for (const each of [one, two])
      assert.deepStrictEqual(yield* queue.comment(each, "ada-token", "Fine.\n@lazaret queue"), [202])
    const answers = queue.project.notes.map(({ body, iid }) => `!${iid} ${body.split("\n").at(-1)}`)
    assert.deepStrictEqual(
      answers.map((answer) => /^!(\d) .*!\1 is put into the merge queue of `main`\.$/u.test(answer)),
      [true, true],
      answers.join("\n")
    )
    yield* queue.command("unpause")
    const [batch] = yield* untilAnswer(
      Effect.map(queue.engine, ({ batches }) => batches),
      (batches) => batches[0]?.phase === "testing"
    )
    assert.deepStrictEqual(batch.pulls, [1, 2])
    const env = { LAZARET_URL: yield* address, LAZARET_TOKEN: admin }
    const table = (yield* run(["queue", "chain", "--repo", "acme/landing"], env)).stdout
    assert.match(table, /!1, !2 +testing/u)
    assert.notMatch(table, /#\d/u)
    yield* finish(queue)
    yield* untilAnswer(
      Effect.sync(() => [one.state, two.state]),
      (states) => states.every((state) => state === "merged")
    )
    const { lines } = yield* queue.command("why", "1")
    const sentences: ReadonlyArray<string> = lines.map(({ sentence }: { readonly sentence: string }) => sentence)
    assert.include(sentences, "GitLab user ada queued !1.")
    assert.isFalse(sentences.some((sentence) => /#\d/u.test(sentence)))
  })

  test("a note takes a merge request out again, and one of a stranger does nothing", function* () {
    const queue = yield* driven("leaving")
    yield* queue.pushed
    yield* queue.command("waive-trial", "--reason", "a test")
    yield* queue.command("pause", "--reason", "a test")
    const opened = queue.open("a")
    queue.gitLab.addAccount("bob-token", "bob")
    yield* queue.comment(opened, "bob-token", "@lazaret queue")
    assert.deepStrictEqual([queue.project.notes, (yield* queue.engine).queued], [[], []])
    yield* queue.comment(opened, "ada-token", "@lazaret queue")
    yield* untilAnswer(
      Effect.map(queue.engine, ({ queued }) => queued),
      (queued) => queued.length === 1
    )
    yield* queue.comment(opened, "ada-token", "@lazaret dequeue")
    yield* untilAnswer(
      Effect.map(queue.engine, ({ queued }) => queued),
      (queued) => queued.length === 0
    )
    assert.match(
      queue.project.notes.map(({ body }) => body).join("\n"),
      /!1 is taken out of the merge queue of `main`/u
    )
  })

  test("a push that changes the file of the queue changes what the queue does, and a push of other files does not", function* () {
    const queue = yield* driven("files")
    yield* queue.pushed
    yield* queue.command("waive-trial", "--reason", "a test")
    yield* untilAnswer(queue.engine, ({ is_acting }) => is_acting === true)
    queue.project.files.set(path, fileOf(true))
    yield* queue.send(SimulatedGitLab.pushHook(queue.project, ["readme"]))
    assert.isFalse((yield* queue.engine).shadow)
    yield* queue.pushed
    const { explanation } = yield* untilAnswer(
      queue.engine,
      ({ is_acting, shadow }) => shadow === true && is_acting === false
    )
    assert.match(explanation, /in the shadow/u)
  })
})
