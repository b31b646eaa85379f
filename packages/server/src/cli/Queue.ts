/**
 * What `lazaret queue` does.
 *
 * @since 0.1.0
 */
import type { Repository } from "@lazaret/domain"
import { Effect, FileSystem, Option, type Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import * as Caller from "./Caller.ts"
import * as CommandFailure from "./CommandFailure.ts"
import * as Answer from "./QueueAnswer.ts"
import * as Text from "./QueueText.ts"

/**
 * What was given to every one of the commands.
 *
 * @category models
 * @since 0.1.0
 */
export interface Given extends Caller.Given {
  readonly repo: Repository.RepositoryRef
}

/**
 * Shows the queues and the pause.
 *
 * @category operations
 * @since 0.1.0
 */
export const show = Effect.fn("lazaret.queue.show")(function* (given: Given) {
  const ask = yield* connect(given)
  const queues = yield* ask(HttpClientRequest.get("/queues"), Answer.Queues)
  const pauses = yield* ask(HttpClientRequest.get("/queue/pause"), Answer.Pauses)
  yield* print(given, { ...queues, ...pauses }, Text.queues(queues, pauses))
})

/**
 * Pauses the queue.
 *
 * @category operations
 * @since 0.1.0
 */
export const pause = Effect.fn("lazaret.queue.pause")(function* (given: Given & { readonly reason: string }) {
  const ask = yield* connect(given)
  const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.put("/queue/pause"), { reason: given.reason })
  const pauses = yield* ask(request, Answer.Pauses)
  yield* print(given, pauses, Text.pauses(pauses))
})

/**
 * Ends the pause.
 *
 * @category operations
 * @since 0.1.0
 */
export const unpause = Effect.fn("lazaret.queue.unpause")(function* (given: Given) {
  const ask = yield* connect(given)
  yield* ask(HttpClientRequest.delete("/queue/pause"), Answer.Nothing)
  yield* print(given, { queue_pause: [] }, "not paused any more")
})

/**
 * Gives the file with the rules, or shows the rules.
 *
 * @category operations
 * @since 0.1.0
 */
export const configure = Effect.fn("lazaret.queue.configure")(function* (
  given: Given & { readonly file: Option.Option<string>; readonly show: boolean }
) {
  if (Option.isSome(given.file) === given.show) {
    return yield* CommandFailure.usage("Name the file with the rules, or give --show to see them: one of the two.")
  }
  return yield* Option.match(given.file, {
    onNone: () => showRules(given),
    onSome: (file) => giveRules(given, file)
  })
})

const showRules = Effect.fnUntraced(function* (given: Given) {
  const ask = yield* connect(given)
  const rules = yield* ask(configuration, Answer.Configuration)
  yield* print(given, rules, Text.rules(rules))
})

const giveRules = Effect.fnUntraced(function* (given: Given, file: string) {
  const content = yield* contentOf(file)
  const ask = yield* connect(given)
  const request = HttpClientRequest.bodyUint8Array(
    HttpClientRequest.put("/queues/configuration"),
    content,
    "application/yaml"
  )
  const kept = yield* ask(request, Answer.Kept, file)
  if (!kept.valid) {
    yield* print(given, kept, Text.faults(file, kept))
    const count = kept.errors.length === 1 ? "1 fault" : `${kept.errors.length} faults`
    return yield* CommandFailure.usage(
      `${file} is invalid (${count}). It is stored all the same; until a valid one is given there are no queue rules.`
    )
  }
  const rules = yield* ask(configuration, Answer.Configuration)
  return yield* print(given, { ...kept, ...rules }, `${file} is valid and stored\n\n${Text.rules(rules)}`)
})

const configuration = HttpClientRequest.get("/queues/configuration")

/** The function that asks a server about the repository, once it is there and knows the key. */
const connect = Effect.fnUntraced(function* (given: Given) {
  const ask = yield* Caller.connect(given)
  const name = `${given.repo.owner}/${given.repo.repository}`
  return <A>(path: HttpClientRequest.HttpClientRequest, answer: Schema.Codec<A, unknown>, subject: string = name) =>
    ask({ request: HttpClientRequest.prependUrl(path, `/v1/repos/${name}`), answer, subject })
})

const { print } = Caller

/** What the server takes; more is not even read. */
const mostBytes = 65_536

const contentOf = Effect.fnUntraced(
  function* (file: string) {
    const files = yield* FileSystem.FileSystem
    const { size, type } = yield* files.stat(file)
    if (type === "Directory") return yield* CommandFailure.usage(`${file} is a folder: name the file with the rules.`)
    if (size > mostBytes) {
      return yield* CommandFailure.usage(`${file} is larger than 64 KiB: that is no file with queue rules.`)
    }
    return yield* files.readFile(file)
  },
  (effect, file) =>
    Effect.catchTag(effect, "PlatformError", ({ reason }) =>
      CommandFailure.usage(
        reason._tag === "NotFound"
          ? `There is no file ${file}: check the path.`
          : `${file} cannot be read (${reason._tag}).`
      )
    )
)
