/** The certification of the simulated GitHub, whose history is in memory or in a repository of git. */
import { assert, it } from "@effect/vitest"
import { GitHistory, History } from "@lazaret/forge-simulated"
import { Certification, CertificationCase, DriveForge, QueueForge, ScratchForge } from "@lazaret/services"
import { Effect, Layer } from "effect"
import { asApp, layer, ref, started } from "./connection.ts"

const forms = { memory: Effect.sync(History.memory), git: GitHistory.make } as const

/** The platform with a repository that has a commit. */
export const platform = Effect.fnUntraced(function* (form: keyof typeof forms) {
  const { github, repository } = yield* started
  const history = yield* forms[form]
  repository.history = history
  const tree = history.tree(null, { readme: "hello" })
  history.move("main", { from: null, to: history.write({ tree, parents: [], message: "first", author: null }) })
  github.grant({ contents: "write" })
  const context = yield* Layer.build(layer(github, asApp(github)))
  const [drive, queue, scratch] = yield* Effect.provide(Effect.all([DriveForge, QueueForge, ScratchForge]), context)
  return { drive, queue, scratch, repository, history, github }
})

/** Every case holds, and the branches are as before. */
export const certifies = (form: keyof typeof forms): void =>
  it.effect(`every case holds on the simulated GitHub (${form}), and nothing is left behind`, () =>
    Effect.gen(function* () {
      const ports = yield* platform(form)
      const outcomes = yield* Certification.run(ports, ref, "1")
      assert.deepStrictEqual(
        outcomes.filter(({ fault }) => fault !== null),
        []
      )
      assert.lengthOf(outcomes, CertificationCase.cases.length)
      assert.deepStrictEqual([...ports.history.branches().keys()], ["main"])
    })
  )
