/** A gate from end to end: one server, a simulated GitHub with its own merge queue, signed deliveries, and the command line. */
import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { BranchRules, type Hub, MergeQueue, SimulatedGitHub, Workflows } from "@lazaret/forge-simulated"
import { EnginePace } from "@lazaret/services"
import { Context, Effect, Layer } from "effect"
import { run as runCommand } from "./lazaretEffect.ts"
import { address, admin, lazaret, serverAt, untilAnswer } from "./platformServer.ts"

class GitHub extends Context.Service<GitHub, SimulatedGitHub.SimulatedGitHub>()("test/GitHub") {}

const connected = Layer.unwrap(Effect.flatMap(GitHub, (github) => serverAt(github))).pipe(
  Layer.provideMerge(Layer.effect(GitHub, SimulatedGitHub.start)),
  // Deliveries alone wake the gate: without one it would read again after a minute.
  Layer.provide(Layer.succeed(EnginePace, { pause: 10, every: 10, busy: 60_000, idle: 60_000 }))
)

const fileOf = (isShadow: boolean) =>
  `merge_queue: {mode: gate, shadow: ${isShadow}, required_checks: [unit], queue_when: [command, label]}\n`

/** A repository with a merge queue and a gate, whose platform goes on when a test says so. */
const gated = Effect.fnUntraced(function* (name: string, isShadow = false) {
  const github = yield* GitHub
  const { hub } = github.server
  if (!hub.installations.size) github.install("acme")
  const repository = github.addRepository({ owner: "acme", name, files: { ".lazaret/queue.yml": fileOf(isShadow) } })
  repository.queue = []
  github.grant({ contents: "write" })
  repository.branchRules?.push(BranchRules.requiredChecks(github), BranchRules.mergeQueue)
  repository.people?.set("ada", "write").set("bob", "read")
  const repo = ["--repo", `acme/${name}`]
  const hook = `${yield* address}/v1/webhooks/github`

  /** Sends what is in the outbox, signed, and yields the statuses of the answers. */
  const send = (delivery: string, members: Parameters<typeof github.enqueue>[2]) =>
    Effect.suspend(() => {
      github.enqueue(repository, delivery, members)
      return github.flush(hook)
    })
  const pushed = send("push", {
    ref: "refs/heads/main",
    commits: [{ added: [], modified: [".lazaret/queue.yml"], removed: [] }]
  })
  let isWaived = false
  /** The gate may act although most of what it needs is not seen in these tests. */
  const push = Effect.tap(pushed, () =>
    Effect.suspend(() => {
      if (isWaived) return Effect.void
      isWaived = true
      return lazaret(["queue", "waive-trial", "--reason", "a test", ...repo])
    })
  )
  const configure = (shadow: boolean) => {
    repository.files.set(".lazaret/queue.yml", fileOf(shadow))
    return push
  }
  /** Opens a pull request whose head has passed its checks. */
  const open = Effect.suspend(() => {
    const head = String(hub.lastId + 1).padStart(40, "a")
    const pull = github.openPull(repository, { head })
    repository.checkRuns.push(check(head, "success"))
    return Effect.as(send("pull-request-opened", SimulatedGitHub.pullMembers(repository, pull)), pull)
  })
  const check = (headSha: string, conclusion: "success" | "failure"): Hub.CheckRun => {
    const id = (hub.lastId += 1)
    return {
      id,
      headSha,
      appId: 1,
      suiteId: 1,
      members: { name: "unit", status: "completed", conclusion },
      annotations: []
    }
  }
  const groupOf = (number: number) => repository.queue?.find((entry) => entry.number === number)?.group?.id ?? ""
  /** The platform merges, evicts and builds, and the gate hears of it. */
  const turn = Effect.suspend(() => {
    MergeQueue.turn(hub, repository, Date.now())
    return push
  })
  const enter = (pull: Hub.Pull) => MergeQueue.enter(repository, pull.number)
  /** The job of a group ends, and the run that holds it. */
  const finish = (number: number, conclusion: "success" | "failure") =>
    Effect.suspend(() => {
      const group = groupOf(number)
      const known = repository.runs.find(({ headSha }) => headSha === group)
      const run = known ?? Workflows.start(hub, repository, { headSha: group, jobs: [{ name: "unit" }] })
      Workflows.end(hub, repository, run, { name: "unit", conclusion })
      return send("workflow-run-completed", { workflow_run: { id: run.id } })
    })
  const command = (...args: ReadonlyArray<string>) => lazaret(["queue", ...args, ...repo])
  const own = (sha: string) =>
    repository.checkRuns.findLast(({ headSha, members }) => headSha === sha && members["name"] === "lazaret/queue")
      ?.members
  return {
    repository,
    repo,
    send,
    push,
    configure,
    open,
    enter,
    turn,
    finish,
    command,
    groupOf,
    own,
    merged: () => repository.pulls.filter(({ mergedAt }) => mergedAt !== null).map(({ number }) => number),
    comment: (pull: Hub.Pull, by: SimulatedGitHub.Sender & { readonly body: string }) =>
      SimulatedGitHub.comment(hub, pull, by),
    label: (pull: Hub.Pull, login: string, label: string) =>
      SimulatedGitHub.labelMembers(repository, pull, { login, label })
  }
})

type Gated = Effect.Success<ReturnType<typeof gated>>

interface Engine {
  readonly explanation: string
  readonly is_acting: boolean
  readonly waiting: ReadonlyArray<number>
  readonly groups: ReadonlyArray<{ readonly pulls: ReadonlyArray<number>; readonly explanation: string }>
}

const chain = (gate: Gated) =>
  Effect.map(gate.command("chain"), ({ engines }): Engine => {
    assert.lengthOf(engines, 1)
    return engines[0]
  })

const explained = (gate: Gated, number: number, sentence: RegExp) =>
  untilAnswer(chain(gate), ({ groups }) =>
    groups.some(({ explanation, pulls }) => pulls.includes(number) && sentence.test(explanation))
  )

const passed = (gate: Gated, number: number) => {
  const id = gate.groupOf(number)
  return untilAnswer(
    Effect.sync(() => gate.own(id)?.["conclusion"]),
    (conclusion) => conclusion === "success"
  )
}

const sentences = (gate: Gated, number: number) =>
  Effect.map(gate.command("why", String(number)), ({ lines }): ReadonlyArray<string> =>
    lines.map(({ sentence }: { readonly sentence: string }) => sentence)
  )

layer(connected, { excludeTestServices: true })("a gate from end to end", (it) => {
  const test = stepsOf(it)
  test("in the shadow it decides and writes nothing; live it sets the check, and GitHub merges", function* () {
    const gate = yield* gated("shadow", true)
    assert.deepStrictEqual(yield* gate.push, [202])
    const pull = yield* gate.open
    gate.enter(pull)
    yield* gate.turn
    const id = gate.groupOf(1)
    yield* gate.finish(1, "success")
    yield* explained(gate, 1, /^It would pass the gate\.$/u)
    yield* gate.turn
    assert.deepStrictEqual([gate.own(id), gate.own(pull.head.sha), gate.merged()], [undefined, undefined, []])
    const { can_act, mode, shadow } = yield* gate.command("preflight")
    assert.deepStrictEqual([can_act, mode, shadow], [true, "gate", true])
    assert.match((yield* chain(gate)).explanation, /in the shadow/u)

    yield* gate.configure(false)
    yield* passed(gate, 1)
    assert.isTrue((yield* chain(gate)).is_acting)
    yield* gate.turn
    assert.deepStrictEqual(gate.merged(), [1])
    const logged = yield* untilAnswer(sentences(gate, 1), (lines) => lines.some((line) => /merged/u.test(line)))
    assert.isTrue(logged.some((line) => /tree/u.test(line)))
  })

  test("the first hour: the command says what is missing, tries the writes, and ends with 10 while a step is", function* () {
    const gate = yield* gated("hour", true)
    const github = yield* GitHub
    gate.repository.branches = new Map([["main", "c".repeat(40)]])
    yield* gate.push
    const env = { LAZARET_URL: yield* address, LAZARET_TOKEN: admin }
    const check = (...args: ReadonlyArray<string>) =>
      Effect.map(runCommand(["github", "check", ...gate.repo, "--json", ...args], env), ({ exitCode, stdout }) => {
        const report = JSON.parse(stdout)
        const stateOf = (name: string) => report.steps.find((step: { name: string }) => step.name === name)?.state
        return { exitCode, report, stateOf }
      })
    const first = yield* check()
    assert.strictEqual(first.exitCode, 0)
    assert.deepStrictEqual(
      ["webhook secret", "app", "delivery", "event push", "check", "rerun", "permission contents: write"].map(
        first.stateOf
      ),
      ["ok", "ok", "ok", "ok", "unverified", "unverified", "ok"]
    )
    const tried = yield* check("--write")
    assert.deepStrictEqual([tried.report.failures, tried.stateOf("check")], [[], "ok"])
    github.grant({ checks: "read" })
    const refused = yield* check("--write")
    assert.match(refused.report.failures[0], /403/u)
    assert.deepStrictEqual([refused.exitCode, refused.stateOf("permission checks: write")], [10, "missing"])
    github.grant({ checks: "write" })

    const [installation] = github.server.hub.installations.values()
    const ofAccount = { installation: { id: installation?.id ?? 0, account: { id: 1, login: "acme" } } }
    if (installation !== undefined) installation.isSuspended = true
    assert.deepStrictEqual(yield* gate.send("installation-suspend", ofAccount), [202])
    assert.strictEqual((yield* check()).stateOf("app"), "missing")
    if (installation !== undefined) installation.isSuspended = false
    assert.deepStrictEqual(yield* gate.send("installation-unsuspend", ofAccount), [202])
    assert.strictEqual((yield* check()).stateOf("app"), "ok")
    yield* gate.send("repository-archived", {})
    assert.strictEqual((yield* check()).stateOf("repository"), "missing")
    yield* gate.send("repository-unarchived", {})
    assert.strictEqual((yield* check()).stateOf("repository"), undefined)

    const table = yield* runCommand(["github", "check", ...gate.repo], env)
    assert.match(table.stdout, /trial .*ended it early: a test/u)
    assert.match(table.stdout, /main: the gate is in the shadow\n$/u)
    const other = yield* runCommand(["gitlab", "check", ...gate.repo], env)
    assert.match(other.stderr, /the server is connected to GitHub/u)
    const { entries } = yield* lazaret(["audit"])
    const waived = entries.find((entry: { readonly action: string }) => entry.action === "waiveTrial")
    assert.deepStrictEqual(waived.after, { branch: "main", reason: "a test" })
  })

  test("(59) a pause holds every merge until it ends, and the queue then goes on in its order", function* () {
    const gate = yield* gated("paused")
    yield* gate.push
    for (let count = 0; count < 3; count += 1) gate.enter(yield* gate.open)
    yield* gate.turn
    yield* explained(gate, 3, /^Waiting/u)
    const paused = yield* gate.command("pause", "--reason", "Release 4.2 is cut.")
    assert.strictEqual(paused.queue_pause[0].reason, "Release 4.2 is cut.")
    for (const number of [3, 1, 2]) yield* gate.finish(number, "success")
    yield* explained(gate, 1, /^Paused by .*Release 4\.2 is cut\./u)
    yield* gate.turn
    assert.deepStrictEqual(gate.merged(), [])
    assert.isTrue([1, 2, 3].every((number) => gate.own(gate.groupOf(number))?.["conclusion"] === undefined))

    const url = `${yield* address}/v1/repos/acme/paused/merge-queue`
    const headers = { authorization: `Bearer ${admin}` }
    const shown = yield* Effect.promise(() => fetch(`${url}/pause`, { headers }).then((answer) => answer.text()))
    assert.include(shown, '"effect":"holds_merges"')
    const ended = yield* Effect.promise(() => fetch(`${url}/pause`, { method: "DELETE", headers }))
    assert.strictEqual(ended.status, 204)
    yield* gate.push
    for (const number of [1, 2, 3]) yield* passed(gate, number)
    yield* gate.turn
    assert.deepStrictEqual(gate.merged(), [1, 2, 3])
  })

  test("(38) a landing with another tree stops the queue and sounds the alarm until a person resumes", function* () {
    const gate = yield* gated("mismatch")
    gate.repository.landsWrongly = true
    yield* gate.push
    for (let count = 0; count < 2; count += 1) gate.enter(yield* gate.open)
    yield* gate.turn
    yield* explained(gate, 2, /^Waiting/u)
    yield* gate.finish(1, "success")
    yield* passed(gate, 1)
    yield* gate.turn
    const alarm = Effect.map(lazaret(["events", ...gate.repo, "--type", "queue.tree_mismatch"]), ({ events }) => events)
    const [event] = yield* untilAnswer(alarm, (events) => events.length > 0)
    assert.match(event.summary, /^#1 was merged into main as another tree/u)
    const { queue_pause } = yield* untilAnswer(gate.command("show"), (status) => status.queue_pause.length > 0)
    assert.match(queue_pause[0].reason, /^tree_mismatch: /u)
    yield* gate.finish(2, "success")
    yield* explained(gate, 2, /^Paused by /u)
    yield* gate.turn
    assert.deepStrictEqual(gate.merged(), [1])

    gate.repository.landsWrongly = false
    yield* gate.command("unpause")
    yield* gate.push
    yield* passed(gate, 2)
    yield* gate.turn
    assert.deepStrictEqual(gate.merged(), [1, 2])
  })

  test("(62) the failure of a known flake runs the failed jobs again, once, and what passes then is merged", function* () {
    const gate = yield* gated("flaky")
    yield* gate.push
    const base = "b".repeat(40)
    for (const [run, failure] of [
      ["1", "timed out"],
      ["2", ""]
    ])
      yield* report("flaky", { run, failure, on: base })
    gate.enter(yield* gate.open)
    yield* gate.turn
    const id = gate.groupOf(1)
    yield* report("flaky", { run: "3", failure: "timed out", on: id, branch: `gh-readonly-queue/main/pr-1-${base}` })
    yield* gate.finish(1, "failure")
    const [run] = gate.repository.runs
    yield* untilAnswer(
      Effect.sync(() => run?.attempt),
      (attempt) => attempt === 2
    )
    yield* explained(gate, 1, /^Running again/u)
    yield* gate.finish(1, "success")
    yield* passed(gate, 1)
    yield* gate.turn
    assert.deepStrictEqual([gate.merged(), run?.attempt], [[1], 2])
    const reruns = (yield* sentences(gate, 1)).filter((line) => /judged flaky; the failed jobs run again/u.test(line))
    assert.lengthOf(reruns, 1)
  })

  test("(27) signed comments and labels are commands: once, from people who may, and each answered once", function* () {
    const github = yield* GitHub
    const gate = yield* gated("asked")
    yield* gate.push
    const pull = yield* gate.open
    yield* untilAnswer(chain(gate), ({ is_acting }) => is_acting)
    const notes = () => gate.repository.comments.map(({ body }) => body.split("\n").at(-1))

    github.enqueue(
      gate.repository,
      "issue-comment-created",
      gate.comment(pull, { login: "ada", body: "@lazaret queue" })
    )
    const hook = `${yield* address}/v1/webhooks/github`
    assert.deepStrictEqual(yield* github.flush(hook, ["doubled"]), [202, 409])
    yield* untilAnswer(
      Effect.sync(() => gate.repository.queue?.map(({ number }) => number)),
      (queued) => queued?.[0] === 1
    )
    assert.deepStrictEqual(notes(), ["`@lazaret queue`: #1 is put into the merge queue of `main`."])

    const silent = [
      ["issue-comment-created", gate.comment(pull, { login: "bob", body: "@lazaret dequeue" })],
      ["issue-comment-created", gate.comment(pull, { login: "robot", isBot: true, body: "@lazaret dequeue" })],
      ["issue-comment-edited", gate.comment(pull, { login: "ada", body: "@lazaret dequeue" })],
      ["pull-request-labeled", gate.label(pull, "ada", "documentation")],
      ["pull-request-unlabeled", gate.label(pull, "bob", "queue")]
    ] as const
    for (const [name, members] of silent) assert.deepStrictEqual(yield* gate.send(name, members), [202])
    yield* gate.turn
    assert.deepStrictEqual([gate.repository.queue?.length, notes().length], [1, 1])

    yield* untilAnswer(chain(gate), ({ groups }) => groups.length === 1)
    yield* gate.send("pull-request-unlabeled", gate.label(pull, "ada", "queue"))
    yield* untilAnswer(
      Effect.sync(() => gate.repository.queue?.length),
      (length) => length === 0
    )
    yield* gate.send("issue-comment-created", gate.comment(pull, { login: "bob", body: "@lazaret why" }))
    assert.match(gate.repository.comments.at(-1)?.body ?? "", /asked to take/u)
    const { events } = yield* lazaret(["events", ...gate.repo, "--type", "queue.commanded"])
    assert.deepStrictEqual(
      events.map(({ actor }: { readonly actor: string }) => actor),
      ["GitHub user bob", "GitHub user ada", "GitHub user ada"]
    )
  })

  test("a pull request is added and removed by the command line, and one that nobody knows is refused", function* () {
    const gate = yield* gated("typed")
    yield* gate.push
    yield* gate.open
    yield* untilAnswer(chain(gate), ({ is_acting }) => is_acting)
    assert.deepStrictEqual(yield* gate.command("add", "1"), { number: 1, branch: "main" })
    yield* untilAnswer(
      Effect.sync(() => gate.repository.queue?.length),
      (length) => length === 1
    )
    yield* gate.push
    yield* untilAnswer(chain(gate), ({ waiting }) => waiting.includes(1))
    assert.deepStrictEqual(yield* gate.command("remove", "1"), { number: 1, branch: "main" })
    yield* untilAnswer(
      Effect.sync(() => gate.repository.queue?.length),
      (length) => length === 0
    )
    const env = { LAZARET_URL: yield* address, LAZARET_TOKEN: admin }
    assert.strictEqual((yield* runCommand(["queue", "add", "9", ...gate.repo], env)).exitCode, 5)
  })
})

interface Sent {
  readonly run: string | undefined
  readonly failure: string | undefined
  readonly on: string
  readonly branch?: string
}

/** Uploads a report of the job `unit` with one test, which fails with a message, or (an empty one) passes. */
const report = (name: string, { branch = "main", failure = "", on, run = "" }: Sent) =>
  Effect.flatMap(address, (url) =>
    Effect.promise(() => {
      const query = new URLSearchParams({ pipeline_name: "CI", job_name: "unit", commit: on, run_id: run, branch })
      const inner = failure === "" ? "" : `<failure message="${failure}"/>`
      return fetch(`${url}/v1/ci/acme/repositories/${name}/reports?${query.toString()}`, {
        method: "POST",
        headers: { authorization: `Bearer ${admin}`, "content-type": "application/xml" },
        body: `<testsuite name="cart"><testcase classname="cart" name="adds">${inner}</testcase></testsuite>`
      }).then(({ status }) => assert.strictEqual(status, 201))
    })
  )
