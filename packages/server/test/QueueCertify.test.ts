/** `lazaret queue certify` at a server that is connected to a simulated GitHub with a scratch repository. */
import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { History, SimulatedGitHub } from "@lazaret/forge-simulated"
import { CertificationCase } from "@lazaret/services"
import { Context, Effect, Layer } from "effect"
import { run } from "./lazaretEffect.ts"
import { address, admin, daysAgo, lazaret, serverAt, upload } from "./platformServer.ts"

class GitHub extends Context.Service<GitHub, SimulatedGitHub.SimulatedGitHub>()("test/GitHub") {}

const connected = Layer.unwrap(Effect.flatMap(GitHub, (github) => serverAt(github))).pipe(
  Layer.provideMerge(Layer.effect(GitHub, SimulatedGitHub.start))
)

/** A repository that is known, and a scratch repository with one commit. */
const scratch = Effect.gen(function* () {
  const github = yield* GitHub
  github.install("acme")
  github.addRepository({ owner: "acme", name: "widgets" })
  const history = History.memory()
  const tree = history.tree(null, { readme: "hello" })
  history.move("main", { from: null, to: history.write({ tree, parents: [], message: "first", author: null }) })
  github.addRepository({ owner: "acme", name: "scratch" }).history = history
  github.grant({ contents: "write" })
  yield* upload("acme/widgets", { cases: `<testcase name="adds"/>`, on: "f".repeat(40), run: daysAgo(1) })
  return { github, history }
})

const certify = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(address, (url) =>
    run(["queue", "certify", "--repo", "acme/widgets", ...args], { LAZARET_URL: url, LAZARET_TOKEN: admin })
  )

const total = CertificationCase.cases.length

layer(connected, { excludeTestServices: true })("the certification from the command line", (it) => {
  const test = stepsOf(it)
  test("each case is printed once, in its order, as it ends; the verdict is last", function* () {
    const { github, history } = yield* scratch
    const before = yield* certify()
    assert.strictEqual(before.exitCode, 5)
    const { exitCode, stderr, stdout } = yield* certify("--scratch", "acme/scratch")
    const lines = stdout.trimEnd().split("\n")
    assert.deepStrictEqual(
      lines.slice(0, -1),
      CertificationCase.cases.map(({ name }, index) => `${index + 1} of ${total}: ${name}: holds`)
    )
    const host = new URL(github.url).host
    assert.strictEqual(lines.at(-1), `${host} is certified: the queue may be driven`)
    assert.deepStrictEqual([exitCode, stderr, [...history.branches().keys()]], [0, "", ["main"]])

    const again = yield* certify()
    assert.strictEqual(again.stdout, stdout, "without a scratch repository the last one is shown")
    const shown = yield* lazaret(["queue", "certify", "--repo", "acme/widgets"])
    assert.deepStrictEqual([shown.state, shown.cases.length], ["passed", total])
  })

  test("cases that do not hold are printed with what is wrong, and the queue stays in the shadow", function* () {
    const github = yield* GitHub
    github.grant({ contents: "read" })
    const { exitCode, stdout } = yield* certify("--scratch", "acme/scratch")
    assert.strictEqual(exitCode, 10)
    const lines = stdout.trimEnd().split("\n")
    assert.match(lines[0] ?? "", /^1 of \d+: a branch is created once.*: The platform refused .*: 403 /u)
    assert.lengthOf(lines, total + 1)
    assert.match(lines.at(-1) ?? "", /is not certified: the queue stays in the shadow/u)
  })
})
