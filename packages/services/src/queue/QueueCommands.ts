/**
 * The use case of commands to the merge queue that people give at the hosting platform: in comments, and by a label.
 *
 * See `docs/how-to/merge-queue.md`.
 */
import { Event, Instant, type Redaction, type Repository } from "@lazaret/domain"
import { QueueCommand } from "@lazaret/queue"
import { EventStore, QueueStore, RepositoryStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Duration, Effect, Layer, Option, Result } from "effect"
import { Audits } from "../access/Audits.ts"
import { Forge, ForgeError } from "../ports/Forge.ts"
import { PlatformSetup } from "../ports/PlatformSetup.ts"
import * as PlatformWords from "../answer/PlatformWords.ts"
import { DeliveryRefused } from "../answer/ServiceError.ts"
import * as CommandAnswer from "./CommandAnswer.ts"
import * as Configuration from "./Configuration.ts"
import { MergeQueues } from "./MergeQueues.ts"
import { QueueForge } from "./QueueForge.ts"

/**
 * The wishes of a person about a pull request.
 *
 * **Details**
 *
 * `source` names the comment, or the delivery of a label. `author` opened the pull request; null when the platform does not
 * say.
 */
export interface Asked {
  readonly source: string
  readonly number: number
  readonly author: string | null
  readonly by: string
  readonly how:
    | {
        readonly _tag: "Comment"
        readonly at: Instant.Instant
        readonly commands: ReadonlyArray<QueueCommand.QueueCommand>
      }
    | { readonly _tag: "Label"; readonly label: string; readonly isAdded: boolean }
    | { readonly _tag: "Labels"; readonly added: ReadonlyArray<string>; readonly removed: ReadonlyArray<string> }
}

/** The outcome: a sentence for each command, or why nothing was done. */
export type Answered =
  | { readonly _tag: "CommandsAnswered"; readonly number: number; readonly answers: ReadonlyArray<string> }
  | { readonly _tag: "CommandsIgnored"; readonly number: number; readonly reason: string }

/** Carries out what was asked. */
export interface RunCommands {
  (ref: Repository.RepositoryRef, asked: Asked): Effect.Effect<Answered, DeliveryRefused | StoreError>
}

/**
 * Carries commands out. Without a platform nothing is done.
 *
 * **Laws**
 *
 * - *Once.* A source is carried out at most once: it is an event of the log. A repeated delivery is refused.
 * - *By permission.* The platform is asked what the person may do, at the time of the command; the author of a pull request
 *   may take it out without that. When it does not answer, nothing is done, and the delivery may be sent again.
 * - *One answer.* A comment gets one comment as its answer, however often its delivery comes. People who may not write and did
 *   not open the pull request get none, except to questions.
 */
export const QueueCommands: Context.Reference<{ readonly run: RunCommands }> = Context.Reference<{
  readonly run: RunCommands
}>("@lazaret/services/QueueCommands", {
  defaultValue: () => ({ run: (_, { number }) => Effect.succeed(ignored(number, "this server has no platform")) })
})

/** The use case over the log, the queues and a platform; `redact` removes secrets from answers. */
export const queueCommands = (options: { readonly redact: Redaction.Redact }) =>
  Layer.effect(
    QueueCommands,
    Effect.gen(function* () {
      const setup = yield* Effect.serviceOption(PlatformSetup)
      const known = {
        repositories: yield* RepositoryStore,
        queues: yield* QueueStore,
        events: yield* EventStore,
        mergeQueues: yield* MergeQueues,
        platform: yield* QueueForge,
        forge: yield* Forge,
        audits: yield* Audits,
        redact: options.redact
      }
      return {
        run: Effect.fn("QueueCommands.run")(function* (ref: Repository.RepositoryRef, asked: Asked) {
          const now = yield* Clock.currentTimeMillis
          const ports: Ports = { ...known, host: yield* PlatformWords.connected(setup) }
          const meant = yield* meantBy(ports, ref, asked, now)
          if (typeof meant === "string") return ignored(asked.number, meant)
          const found = yield* Effect.result(permissionOf(ports, ref, asked.by))
          if (Result.isFailure(found)) return ignored(asked.number, CommandAnswer.unanswered(found.failure.message))
          const isAllowed = (command: QueueCommand.QueueCommand) => mayHear(command, asked, found.success)
          if (!meant.some(isAllowed)) return ignored(asked.number, `${asked.by} may not write to the repository`)
          yield* claim(ports, ref, asked, { commands: meant, now })
          const answers = yield* Effect.forEach(meant, (command) =>
            Effect.map(carryOut(ports, ref, asked, { command, permission: found.success }), (answer) => ({
              command,
              ...answer
            }))
          )
          yield* reply(ports, ref, asked, answers)
          return {
            _tag: "CommandsAnswered",
            number: asked.number,
            answers: answers.map(({ sentence }) => sentence)
          } as const
        })
      }
    })
  )

/** The platform waits ten seconds for the answer to its delivery: this is the part of it for the question who may ask. */
const longestLookup = Duration.seconds(5)

const permissionOf = ({ platform }: Pick<Ports, "platform">, ref: Ref, account: string) =>
  Effect.timeoutOrElse(platform.permission(ref, account), {
    duration: longestLookup,
    orElse: () =>
      new ForgeError({
        operation: "permission",
        owner: ref.owner,
        repository: ref.repository,
        reason: "unavailable",
        retryAt: null,
        message: "no answer in time"
      })
  })

interface Ports extends Pick<CommandAnswer.Ports, "forge" | "host" | "mergeQueues" | "platform" | "redact"> {
  readonly repositories: RepositoryStore["Service"]
  readonly queues: QueueStore["Service"]
  readonly events: EventStore["Service"]
  readonly audits: Audits["Service"]
}

type Ref = Repository.RepositoryRef

/** A command that lies so long back is not what the person wants now; sources are forgotten with the log, which lasts longer. */
const longestDelay = Instant.day

const ignored = (number: number, reason: string): Answered => ({ _tag: "CommandsIgnored", number, reason })

/** The commands that count here, or why none does. */
const meantBy = Effect.fnUntraced(function* (
  { queues, repositories }: Ports,
  ref: Ref,
  { how }: Asked,
  now: Instant.Instant
) {
  if (Option.isNone(yield* repositories.get(ref))) return "nothing is stored for the repository"
  const settings = yield* Configuration.settings(queues, ref)
  if (how._tag !== "Comment") {
    const isAdded = how._tag === "Label" ? how.isAdded : how.added.includes(settings.label)
    const labels = how._tag === "Label" ? [how.label] : isAdded ? how.added : how.removed
    const isMeant = settings.queueWhen.includes("label") && labels.includes(settings.label)
    const word = isAdded ? "queue" : "dequeue"
    return isMeant ? [{ name: word, words: [word] } as const] : "no queue is asked by this label"
  }
  if (now - how.at > longestDelay) return "the comment is older than a day"
  return settings.queueWhen.includes("command") ? how.commands : "commands in comments are switched off"
})

type Permission = "none" | "read" | "write"

const isAuthor = ({ author, by }: Asked): boolean => author?.toLowerCase() === by.toLowerCase()

/** Strangers are answered when they ask a question: an answer to everything would let them make the app talk. */
const mayHear = ({ name }: QueueCommand.QueueCommand, asked: Asked, permission: Permission): boolean =>
  permission === "write" || isAuthor(asked) || (permission === "read" && (name === "why" || name === "help"))

const mayRun = ({ name }: QueueCommand.QueueCommand, asked: Asked, permission: Permission): boolean =>
  permission === "write" ||
  name === "why" ||
  name === "help" ||
  name === null ||
  (name === "dequeue" && isAuthor(asked))

const claim = Effect.fnUntraced(function* (
  { events, host }: Ports,
  ref: Ref,
  { by, number, source }: Asked,
  { commands, now }: { readonly commands: ReadonlyArray<QueueCommand.QueueCommand>; readonly now: Instant.Instant }
) {
  const actor = PlatformWords.user(host, by)
  const event = Event.commanded({ source, number, actor, commands: commands.map(QueueCommand.written) }, now)
  if ((yield* events.append(ref, [event], now)) > 0) return
  return yield* new DeliveryRefused({ owner: ref.owner, repository: ref.repository, reason: "replayed" })
})

interface Permitted {
  readonly command: QueueCommand.QueueCommand
  readonly permission: Permission
}

/** Carries out one command; what changes something is in the audit log. */
const carryOut = (
  ports: Ports,
  ref: Ref,
  asked: Asked,
  { command, permission }: Permitted
): Effect.Effect<CommandAnswer.Answer, StoreError> => {
  if (!mayRun(command, asked, permission)) return Effect.succeed(CommandAnswer.forbidden)
  const answered = CommandAnswer.answer(ports, ref, { ...asked, command })
  if (!changing.has(command.name)) return answered
  const { owner, repository } = ref
  const action = {
    // The person is known at the platform alone, as with the buttons of a check.
    actor: { kind: "user", id: `${ports.host ?? "github"}:${asked.by}`, name: asked.by },
    address: null,
    action: `queueCommand.${command.name}`,
    owner,
    repository,
    target: { number: String(asked.number) }
  } as const
  return ports.audits.record(action, answered, ({ isDone }) => isDone)
}

const changing: ReadonlySet<QueueCommand.Name | null> = new Set(["queue", "dequeue", "priority", "rerun"])

interface Said extends CommandAnswer.Answer {
  readonly command: QueueCommand.QueueCommand
}

/** Answers in one comment. A label that did what it should needs no answer. */
const reply = (ports: Ports, ref: Ref, { how, number, source }: Asked, answers: ReadonlyArray<Said>) => {
  if (how._tag !== "Comment" && answers.every(({ isDone }) => isDone)) return Effect.void
  const marker = `<!-- lazaret:answer ${source} -->`
  const body = [marker, ...answers.map(({ command, sentence }) => CommandAnswer.paragraph(command, sentence))].join(
    "\n\n"
  )
  return ports.forge.notes(ref, number, marker).pipe(
    Effect.flatMap((notes) => (notes.length > 0 ? Effect.void : ports.forge.createNote(ref, number, body))),
    Effect.catchTag("ForgeError", ({ message }: ForgeError) =>
      Effect.logWarning(`A command to the merge queue was carried out, and could not be answered: ${message}`)
    )
  )
}
