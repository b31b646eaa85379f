/**
 * Questions of a command to a server that is there and knows the key.
 *
 * @since 0.1.0
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect } from "effect"
import type { HttpClient } from "effect/http"
import * as Api from "./Api.ts"
import type { CommandFailure } from "./CommandFailure.ts"
import * as Connection from "./Connection.ts"
import * as Progress from "./Progress.ts"

/**
 * What was given to every command that asks.
 *
 * @category models
 * @since 0.1.0
 */
export interface Given extends Connection.Given {
  readonly json: boolean
}

/**
 * Asks the server; `isFirst` is told already.
 *
 * @category models
 * @since 0.1.0
 */
export interface Ask {
  <A>(call: Omit<Api.Call<A>, "isFirst">): Effect.Effect<A, CommandFailure>
}

/**
 * The function that asks the server of a command, once it is there and knows the key.
 *
 * @category constructors
 * @since 0.1.0
 */
export const connect = Effect.fnUntraced(function* (given: Given) {
  const connection = yield* Connection.resolve(given)
  const progress = Progress.make(process.stderr, given.json)
  const overHttp = <A, E>(effect: Effect.Effect<A, E, HttpClient.HttpClient>) =>
    effect.pipe(Effect.provide(NodeHttpClient.layerNodeHttp), Effect.ensuring(progress.clear))
  yield* overHttp(Api.greet(connection, progress.waiting))
  const ask: Ask = (call) => overHttp(Api.call(connection, { ...call, isFirst: false }, progress.waiting))
  return ask
})

/**
 * Prints an answer: for programs, or for people.
 *
 * @category operations
 * @since 0.1.0
 */
export const print = ({ json }: Given, answer: object, text: string): Effect.Effect<void> =>
  Console.log(json ? JSON.stringify(answer, null, 2) : text)
