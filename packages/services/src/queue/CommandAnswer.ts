/** Answers to commands to the merge queue, as sentences in Markdown. */
import { type Redaction, type Repository } from "@lazaret/domain"
import { type EngineView, QueueCommand, QueuePriority } from "@lazaret/queue"
import type { StoreError } from "@lazaret/store"
import { Effect, Option } from "effect"
import type { Forge } from "../ports/Forge.ts"
import * as Markdown from "../answer/Markdown.ts"
import * as PlatformWords from "../answer/PlatformWords.ts"
import type { MergeQueues, QueueAction } from "./MergeQueues.ts"
import type { QueueForge } from "./QueueForge.ts"

/** The ports that answers come from. */
export interface Ports {
  readonly mergeQueues: MergeQueues["Service"]
  readonly platform: QueueForge["Service"]
  readonly forge: Forge["Service"]
  readonly redact: Redaction.Redact
  readonly host: PlatformWords.Platform
}

/** A command of a person about a pull request. */
export interface Given {
  readonly number: number
  readonly by: string
  readonly command: QueueCommand.QueueCommand
}

/** An answer; `isDone`: what was asked is under way. */
export interface Answer {
  readonly isDone: boolean
  readonly sentence: string
}

type Ref = Repository.RepositoryRef

const done = (sentence: string): Answer => ({ isDone: true, sentence })

const refused = (sentence: string): Answer => ({ isDone: false, sentence })

/** The answer to people without the permission. */
export const forbidden = refused("This needs the permission to write to the repository.")

/** The reason why nothing was done when the platform did not say what a person may do. */
export const unanswered = (message: string): string =>
  `the hosting platform did not say what the person may do: ${message}`

/** A command and its answer. Neither begins with a mention, which would be a command again. */
export const paragraph = (command: QueueCommand.QueueCommand, sentence: string): string =>
  `${Markdown.code(QueueCommand.written(command))}: ${sentence}`

/** Carries out a command of somebody who may give it. */
export const answer = (ports: Ports, ref: Ref, given: Given): Effect.Effect<Answer, StoreError> =>
  Effect.map(carryOut(ports, ref, given), (found) => ({
    ...found,
    sentence: PlatformWords.sentence(ports.host, found.sentence)
  }))

const carryOut = (ports: Ports, ref: Ref, given: Given): Effect.Effect<Answer, StoreError> => {
  switch (given.command.name) {
    case "queue":
    case "priority":
      return queue(ports, ref, given)
    case "dequeue":
      return request(ports, ref, given, "dequeue")
    case "rerun":
      return rerun(ports, ref, given)
    case "why":
      return why(ports, ref, given)
    case "help":
      return Effect.succeed(done(`The commands are ${list}.`))
    case null:
      return Effect.succeed(refused(`This command does not exist. The commands are ${list}.`))
  }
}

const list = "`queue`, `dequeue`, `priority`, `rerun` and `why`, each after `@lazaret` at the beginning of a line"

const noRules = refused(
  "The platform orders its own queue: a gate has neither rules nor priorities. `@lazaret queue` puts the pull request at its end."
)

const sentences: Record<QueueAction, (number: number, branch: string) => string> = {
  queue: (number, branch) => `#${number} is put into the merge queue of ${branch}.`,
  dequeue: (number, branch) => `#${number} is taken out of the merge queue of ${branch}.`
}

/** Queues with a rule and a priority, which a queue that is driven has alone. */
const queue = Effect.fnUntraced(function* (ports: Ports, ref: Ref, given: Given) {
  const { name, words } = given.command
  const views = yield* viewsOf(ports, ref)
  const isDriven = views.some(({ mode }) => mode === "drive")
  if (!isDriven) return words.length > 1 || name === "priority" ? noRules : yield* request(ports, ref, given, "queue")
  const options = optionsOf(words.slice(1), name === "priority")
  if (options === null)
    return refused("A priority is low, medium, high or a whole number, as in `@lazaret queue p=high`.")
  if (name === "priority" && !isQueued(views, given.number))
    return refused(`#${given.number} is not in the merge queue.`)
  const answered = yield* request(ports, ref, given, "queue", options)
  const isShadow = views.every(({ isActing, mode }) => mode !== "drive" || !isActing)
  return answered.isDone && isShadow
    ? done(`${answered.sentence} The queue is in the shadow: it merges nothing.`)
    : answered
})

interface Options {
  readonly rule: string | null
  readonly priority: number | null
}

/** A rule and `p=PRIORITY`, in any order; null when the priority is invalid. The command `priority` has that alone. */
const optionsOf = (words: ReadonlyArray<string>, isPriority: boolean): Options | null => {
  const written = isPriority ? words[0] : words.find((word) => word.startsWith("p="))?.slice(2)
  const rule = isPriority ? null : (words.find((word) => !word.startsWith("p=")) ?? null)
  if (written === undefined) return isPriority ? null : { rule, priority: null }
  const priority = QueuePriority.parse(written)
  return priority === null ? null : { rule, priority }
}

const request = (
  { host, mergeQueues }: Ports,
  ref: Ref,
  { by, number }: Given,
  action: QueueAction,
  options: Options = { rule: null, priority: null }
) =>
  mergeQueues.ask(ref, { number, action, by: PlatformWords.user(host, by), ...options }).pipe(
    Effect.map((branch) => done(sentences[action](number, Markdown.code(branch)))),
    Effect.catchTags({
      PullRequestNotOpen: () => Effect.succeed(notOpen(number)),
      PullRequestNotQueued: () => Effect.succeed(refused(`#${number} is not in the merge queue.`)),
      QueueNotActing: ({ branch }) => Effect.succeed(refused(notActing(branch))),
      QueueRuleNotFound: ({ rule }) =>
        Effect.succeed(refused(`No rule of the queue is called ${Markdown.code(rule)}.`)),
      RepositoryNotFound: () => Effect.succeed(notOpen(number))
    })
  )

const notOpen = (number: number): Answer =>
  refused(`No merge queue of this repository knows an open pull request #${number}.`)

const notActing = (branch: string): string =>
  `The merge queue of ${Markdown.code(branch)} takes no requests: it is mirrored, or its gate is in the shadow.`

/** The engines of the repository; none for one that is not known. */
const viewsOf = ({ mergeQueues }: Ports, ref: Ref): Effect.Effect<ReadonlyArray<EngineView.EngineView>, StoreError> =>
  mergeQueues.engines(ref).pipe(
    Effect.map(({ engines }) => engines),
    Effect.catchTag("RepositoryNotFound", () => Effect.succeed([]))
  )

const isQueued = (views: ReadonlyArray<EngineView.EngineView>, number: number): boolean =>
  views.some(
    ({ groups, queued, waiting }) =>
      waiting.includes(number) ||
      groups.some(({ pulls }) => pulls.includes(number)) ||
      queued.some((entry) => entry.number === number)
  )

/** Runs the failed jobs of the head again. In a group the gate decides about reruns, within their limits. */
const rerun = Effect.fnUntraced(function* (ports: Ports, ref: Ref, { number }: Given) {
  const { forge, platform } = ports
  if (isQueued(yield* viewsOf(ports, ref), number)) {
    return refused(`#${number} is in the merge queue, which decides which failed jobs run again.`)
  }
  const runs = Effect.gen(function* () {
    const pull = yield* platform.pull(ref, number)
    if (Option.isNone(pull) || pull.value.state !== "open") return notOpen(number)
    const count = yield* forge.rerunFailedJobs(ref, pull.value.head)
    return count === 0
      ? refused(`The head of #${number} has no failed jobs.`)
      : done(`The failed jobs of the head of #${number} run again.`)
  })
  return yield* Effect.catchTag(runs, "ForgeError", ({ message }) =>
    Effect.succeed(refused(`The hosting platform refused: ${Markdown.prose(message)}. Ask again later.`))
  )
})

/** The most sentences of the log in an answer. */
const mostSentences = 5

/** Says why a pull request waits, and what the log has about it. */
const why = Effect.fnUntraced(function* (ports: Ports, ref: Ref, { number }: Given) {
  const { mergeQueues, redact } = ports
  const said = (text: string) => Markdown.prose(redact(text), 1000)
  const views = yield* viewsOf(ports, ref)
  const now = views.flatMap(({ groups, queued, waiting }) => [
    ...queued.flatMap((entry) => (entry.number === number ? [said(entry.explanation)] : [])),
    ...groups.flatMap(({ explanation, pulls }) => (pulls.includes(number) ? [said(explanation)] : [])),
    ...(waiting.includes(number) ? ["It waits for a group."] : [])
  ])
  const lines = yield* mergeQueues.history(ref, number).pipe(
    Effect.map((history) => history.slice(0, mostSentences).map(({ sentence }) => said(sentence))),
    Effect.catchTags({
      PullRequestNotQueued: () => Effect.succeed([]),
      RepositoryNotFound: () => Effect.succeed([])
    })
  )
  const state = now.length === 0 ? `#${number} is not in the merge queue.` : `#${number}: ${now.join(" ")}`
  const past = lines.length === 0 ? "" : `\n\nNewest first:\n${lines.map((line) => `- ${line}`).join("\n")}`
  return done(`${state}${past}`)
})
