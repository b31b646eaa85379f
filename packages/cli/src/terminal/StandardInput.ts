/** The standard input of a command. */
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Context, Effect, Stream } from "effect"
import * as CommandFailure from "./CommandFailure.ts"

/** The input of the process. A test provides another. */
export const Input = Context.Reference<{ readonly bytes: Stream.Stream<Uint8Array, CommandFailure.CommandFailure> }>(
  "@lazaret/cli/StandardInput/Input",
  {
    defaultValue: () => ({
      bytes: NodeStream.fromReadable<Uint8Array, CommandFailure.CommandFailure>({
        evaluate: () => process.stdin,
        onError: () => CommandFailure.usage("The standard input cannot be read.")
      })
    })
  }
)

/** The whole input in pieces. An empty input is a failure that says what to pipe. */
export const pieces = Effect.fnUntraced(function* (what: string) {
  const { bytes } = yield* Input
  const all = yield* Stream.runCollect(bytes)
  if (all.every((piece) => piece.length === 0)) {
    return yield* CommandFailure.usage(`The standard input is empty: pipe ${what} into it.`)
  }
  return all
})
