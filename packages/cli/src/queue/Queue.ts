/** `lazaret queue`: show, pause, unpause, configure, and the commands of a queue that acts. */
import type { Schemas } from "@lazaret/api"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Flags from "../connection/Flags.ts"
import * as QueueEngine from "./QueueEngine.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import * as TextFile from "../terminal/TextFile.ts"
import { plain, type Terminal } from "../terminal/Terminal.ts"
import * as Words from "../terminal/Words.ts"

type Queue = typeof Schemas.Queue.Type

type PullRequest = Queue["pull_requests"][number]

type Pause = typeof Schemas.QueuePause.Type

type Rule = typeof Schemas.QueueRule.Type

const show = Command.make(
  "show",
  Flags.ofRepository,
  Effect.fn("lazaret.queue.show")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const queues = yield* session.call(name, (api) => api.getQueues({ params, ...both }))
    const pauses = yield* session.call(name, (api) => api.getQueuePause({ params, ...both }))
    yield* Session.print(given, { ...asObject(queues.body), ...asObject(pauses.body) }, (terminal) => {
      const branches = queues.value.queues
        .filter((each) => each.pull_requests.length > 0)
        .map(({ branch, pull_requests }) => `${plain(branch.name)}\n${Table.make(terminal, columns, pull_requests)}`)
      const queued = branches.length === 0 ? ["no pull request is queued"] : branches
      return [...pauses.value.queue_pause.map(pausedSince), ...queued].join("\n\n")
    })
  })
).pipe(
  Command.withDescription("Show the pull requests in the merge queue of each base branch, and whether it is paused."),
  Command.withShortDescription("Show the queued pull requests"),
  Command.withExamples([{ command: "lazaret queue show --repo acme/widgets", description: "Show the merge queue" }])
)

const asObject = (body: unknown): object => (typeof body === "object" && body !== null ? body : {})

const columns: ReadonlyArray<Table.Column<PullRequest>> = [
  { heading: "position", cell: ({ position }) => String(position) },
  { heading: "number", cell: ({ number }) => String(number) },
  { heading: "priority", cell: ({ priority_alias }) => priority_alias },
  { heading: "rule", cell: ({ queue_rule }) => queue_rule.name, canShrink: true },
  { heading: "check", cell: ({ mergeability_check }) => mergeability_check?.state ?? "not started" },
  {
    heading: "estimated merge",
    cell: ({ estimated_time_of_merge: at }) => (at === null ? "unknown" : Session.secondOf(at))
  }
]

const pausedSince = ({ pause_date, reason }: Pause): string =>
  `paused since ${Session.secondOf(pause_date)}: ${plain(reason)}`

/** The sentence that a mirror owes to everybody who pauses. */
const onlyShown = "The pause is only shown: this queue has no active gate, so the hosting platform continues to merge."

const pause = Command.make(
  "pause",
  {
    ...Flags.ofRepository,
    // The limit of interface 4.2.2, in characters.
    reason: Flags.text("reason", 255, "Reason, for everybody to read; up to 255 characters").pipe(
      Flag.withMetavar("text")
    )
  },
  Effect.fn("lazaret.queue.pause")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const payload = { reason: given.reason }
    const { body, value } = yield* session.call(name, (api) => api.pauseQueue({ params, payload, ...both }))
    const { effect } = (yield* session.call(name, (api) => api.getMergeQueuePause({ params, ...both }))).value
    yield* Session.print(given, { ...asObject(body), effect }, () =>
      [...value.queue_pause.map(pausedSince), ...(effect === "only_shown" ? [onlyShown] : [])].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Pause the merge queue. A queue that is paused already keeps its date and takes the new reason."
  ),
  Command.withShortDescription("Pause the merge queue"),
  Command.withExamples([
    {
      command: 'lazaret queue pause --repo acme/widgets --reason "Release 4.2 is being cut."',
      description: "Pause the merge queue"
    }
  ])
)

const unpause = Command.make(
  "unpause",
  Flags.ofRepository,
  Effect.fn("lazaret.queue.unpause")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    yield* session.remove(name, (api) => api.unpauseQueue({ params, ...both }))
    yield* Session.print(given, { queue_pause: [] }, () => "the pause has ended")
  })
).pipe(
  Command.withDescription("End the pause of the merge queue."),
  Command.withShortDescription("End the pause"),
  Command.withExamples([{ command: "lazaret queue unpause --repo acme/widgets", description: "End the pause" }])
)

const configure = Command.make(
  "configure",
  {
    ...Flags.ofRepository,
    show: Flag.Boolean("show").pipe(
      Flag.withDescription("Show the rules that apply, instead of uploading a file"),
      Flag.withDefault(false)
    ),
    file: Argument.String("queue.yml").pipe(
      Argument.withDescription("The file with the rules (YAML); the server stores an invalid one too"),
      Argument.optional
    )
  },
  Effect.fn("lazaret.queue.configure")(function* (given) {
    if (Option.isSome(given.file) === given.show) {
      return yield* CommandFailure.usage("Name either the file with the rules, or give --show to see them.")
    }
    if (Option.isSome(given.file)) return yield* uploadRules(given, given.file.value)
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.call(name, (api) => api.getQueuesConfiguration({ params, ...both }))
    return yield* Session.print(given, body, (terminal) => rulesOf(terminal, value.configuration))
  })
).pipe(
  Command.withDescription("Upload the file with the queue rules, and print its errors."),
  Command.withShortDescription("Upload the queue rules"),
  Command.withExamples([
    {
      command: "lazaret queue configure --repo acme/widgets .lazaret/queue.yml",
      description: "Upload the queue rules"
    },
    { command: "lazaret queue configure --repo acme/widgets --show", description: "Show the queue rules" }
  ])
)

const uploadRules = Effect.fnUntraced(function* (given: Flags.OfRepository, file: string) {
  const payload = yield* TextFile.read(file, { bytes: 65_536, subject: "a file with queue rules" })
  const { name, params, session } = yield* Session.ofRepository(given)
  const kept = yield* session.call(plain(file), (api) => api.putQueuesConfiguration({ params, payload, ...both }))
  if (!kept.value.valid) {
    const { errors } = kept.value
    yield* Session.print(given, kept.body, () => errors.map((fault) => faultOf(file, fault)).join("\n"))
    return yield* CommandFailure.usage(
      `${plain(file)} is invalid (${Words.counted(errors.length, "fault")}). The server has stored ` +
        "it; until it receives a valid one, there are no queue rules."
    )
  }
  const rules = yield* session.call(name, (api) => api.getQueuesConfiguration({ params, ...both }))
  return yield* Session.print(
    given,
    { ...asObject(kept.body), ...asObject(rules.body) },
    (terminal) => `${plain(file)} is valid and stored\n\n${rulesOf(terminal, rules.value.configuration)}`
  )
})

/** A fault as compilers write it: `file:line: sentence`. */
const faultOf = (file: string, { line, location, message }: Fault) =>
  plain(`${file}:${line}: ${`${location.replace(/^configuration\.?/, "")} ${message}`.trim()}`)

type Fault = (typeof Schemas.KeptQueueConfiguration.Type)["errors"][number]

const rulesOf = (terminal: Terminal, rules: ReadonlyArray<Rule>): string =>
  rules.length === 0 ? "there are no queue rules" : Table.make(terminal, ruleColumns, rules)

const ruleColumns: ReadonlyArray<Table.Column<Rule>> = [
  { heading: "rule", cell: ({ name }) => name, canShrink: true },
  { heading: "batch size", cell: ({ config }) => String(config.batch_size) },
  { heading: "wait for batch", cell: ({ config }) => `${config.batch_max_wait_time} s` },
  {
    heading: "checks time out",
    cell: ({ config }) => (config.checks_timeout === null ? "never" : `${config.checks_timeout} s`)
  },
  { heading: "merge method", cell: ({ config }) => config.merge_method }
]

/** Shows, pauses and configures a merge queue. */
export const command = Command.make("queue").pipe(
  Command.withDescription("Show, pause and configure the merge queue of a repository."),
  Command.withShortDescription("Show, pause and configure a merge queue"),
  Command.withSubcommands([show, pause, unpause, configure, ...QueueEngine.commands])
)
