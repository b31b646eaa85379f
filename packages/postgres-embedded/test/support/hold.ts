/** A process of its own with the server of a folder: it says `up` and holds the folder until it is killed. */
import { EmbeddedPostgres } from "@lazaret/postgres-embedded"
import { Effect, Layer } from "effect"

const [, , folder = ""] = process.argv

const main = Effect.gen(function* () {
  yield* Layer.build(EmbeddedPostgres.layer({ folder }))
  yield* Effect.sync(() => process.stdout.write("up\n"))
  return yield* Effect.never
})

Effect.runFork(Effect.scoped(main))
