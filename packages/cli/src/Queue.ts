/** What `lazaret queue` does. */
import type { Repository } from "@lazaret/domain"
import { Effect, FileSystem, Option, type Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type * as Api from "./Api.ts"
import * as CommandFailure from "./CommandFailure.ts"
import * as Answer from "./QueueAnswer.ts"
import * as Text from "./QueueText.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"
import * as Session from "./Session.ts"

/** What was given to every one of the commands. */
export interface Given extends Session.Given {
  readonly repo: Option.Option<Repository.RepositoryRef>
}

/** Shows the queues and the pause. */
export const show = Effect.fn("lazaret.queue.show")(function* (given: Given) {
  const ask = yield* connect(given)
  const queues = yield* ask(HttpClientRequest.get("/queues"), Answer.Queues)
  const pauses = yield* ask(HttpClientRequest.get("/queue/pause"), Answer.Pauses)
  yield* Session.print(given, { ...queues, ...pauses }, (terminal) => Text.queues(terminal, queues, pauses))
})

/** Pauses the queue. */
export const pause = Effect.fn("lazaret.queue.pause")(function* (given: Given & { readonly reason: string }) {
  const ask = yield* connect(given)
  const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.put("/queue/pause"), { reason: given.reason })
  const pauses = yield* ask(request, Answer.Pauses)
  yield* Session.print(given, pauses, () => Text.pauses(pauses))
})

/** Ends the pause. */
export const unpause = Effect.fn("lazaret.queue.unpause")(function* (given: Given) {
  const ask = yield* connect(given)
  yield* ask(HttpClientRequest.delete("/queue/pause"), Answer.Nothing, { repeat: "removal" })
  yield* Session.print(given, { queue_pause: [] }, () => "not paused any more")
})

/** Gives the file with the rules, or shows the rules. */
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
  yield* Session.print(given, rules, (terminal) => Text.rules(terminal, rules))
})

const giveRules = Effect.fnUntraced(function* (given: Given, file: string) {
  const content = yield* contentOf(file)
  const ask = yield* connect(given)
  const request = HttpClientRequest.bodyUint8Array(
    HttpClientRequest.put("/queues/configuration"),
    content,
    "application/yaml"
  )
  const kept = yield* ask(request, Answer.Kept, { subject: file })
  if (!kept.valid) {
    yield* Session.print(given, kept, () => Text.faults(file, kept))
    const count = kept.errors.length === 1 ? "1 fault" : `${kept.errors.length} faults`
    return yield* CommandFailure.usage(
      `${file} is invalid (${count}). It is stored all the same; until a valid one is given there are no queue rules.`
    )
  }
  const rules = yield* ask(configuration, Answer.Configuration)
  return yield* Session.print(
    given,
    { ...kept, ...rules },
    (terminal) => `${file} is valid and stored\n\n${Text.rules(terminal, rules)}`
  )
})

const configuration = HttpClientRequest.get("/queues/configuration")

/** The function that asks a server about the queue of the repository, once it is there and knows the key. */
const connect = Effect.fnUntraced(function* (given: Given) {
  const subject = Session.nameOf(yield* RepositoryFlag.resolve(given.repo))
  const { call } = yield* Session.open(given)
  return <A>(
    path: HttpClientRequest.HttpClientRequest,
    answer: Schema.Codec<A, unknown>,
    more: Partial<Pick<Api.Call<A>, "subject" | "repeat">> = {}
  ) => call({ request: HttpClientRequest.prependUrl(path, `/v1/repos/${subject}`), answer, subject, ...more })
})

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
