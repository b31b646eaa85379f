/** Commands of an engine, carried out at the hosting platform. */
import type { Redaction } from "@lazaret/domain"
import { type EngineCommand, EngineConfiguration, type EngineEvent } from "@lazaret/queue"
import { Effect, Result } from "effect"
import * as Markdown from "../answer/Markdown.ts"
import * as PlatformWords from "../answer/PlatformWords.ts"
import * as OneNote from "../answer/OneNote.ts"
import type { Forge, ForgeError } from "../ports/Forge.ts"
import * as DriveExecution from "./DriveExecution.ts"

/**
 * The place where commands are carried out.
 *
 * **Details**
 *
 * `url` is the page of the queue, null when the public address is not known. `drive` is null where the platform cannot be driven.
 * `notes` writes comments; null: nobody can. `host` is the platform whose words they use. `redact` removes secrets from them.
 */
export interface Place extends Omit<DriveExecution.Place, "drive"> {
  readonly drive: DriveExecution.Place["drive"] | null
  readonly notes: Forge["Service"] | null
  readonly redact: Redaction.Redact
  readonly url: string | null
  readonly host: PlatformWords.Platform
}

/** An outcome for the log; `retryAt` is when the platform takes the next request, null when it did not say. */
export interface Executed {
  readonly event: typeof EngineEvent.Outcome.Type
  readonly retryAt: number | null
}

/** Carries out a command once. A write without an answer is `unknown`, so that it is repeated. */
export const execute = Effect.fnUntraced(function* (place: Place, command: EngineCommand.EngineCommand) {
  const result = yield* Effect.result(write(place, command))
  if (Result.isSuccess(result)) return { event: result.success, retryAt: null } satisfies Executed
  const { message, reason, retryAt } = result.failure
  if (reason === "unavailable" || reason === "rate_limited") {
    return { event: { kind: "unknown", command: command.id }, retryAt } satisfies Executed
  }
  yield* Effect.logWarning(`The platform refused ${command.kind}: ${message}`)
  return { event: refused(command, message), retryAt: null } satisfies Executed
})

const write = (
  place: Place,
  command: EngineCommand.EngineCommand
): Effect.Effect<typeof EngineEvent.Outcome.Type, ForgeError> => {
  const { drive, forge, ref, url } = place
  if (DriveExecution.isDriven(command)) {
    return drive === null
      ? Effect.succeed(refused(command, "the platform cannot be driven"))
      : DriveExecution.execute({ ...place, drive }, command)
  }
  const done = { kind: "done", command: command.id, answer: { kind: "ok" } } as const
  switch (command.kind) {
    case "set_check": {
      const conclusion = command.state === "in_progress" ? null : command.state
      const { sha, title } = command
      return Effect.as(forge.setCheck(ref, { name: EngineConfiguration.ownCheck, sha, conclusion, title, url }), done)
    }
    case "rerun":
      return Effect.map(forge.rerun(ref, command), (outcome) => {
        // Jobs that still run are asked for again, like a write without an answer.
        if (outcome === "running") return { kind: "unknown", command: command.id } as const
        return outcome === "started" ? done : refused(command, "no run of CI stands behind the checks", "gone")
      })
    case "cancel":
      return command.checks === undefined
        ? Effect.as(forge.cancel(ref, command.sha), done)
        : Effect.map(forge.cancelChecks(ref, command.sha, command.checks), (isFound) =>
            isFound ? done : refused(command, "no run of the required checks has started", "not_yet")
          )
    case "enqueue":
      return Effect.as(forge.enqueue(ref, command.member), done)
    case "dequeue":
      return Effect.as(forge.dequeue(ref, command.number), done)
    case "tell":
      return place.notes === null
        ? Effect.succeed(refused(command, "the platform takes no comments", "gone"))
        : Effect.as(OneNote.set(place.notes, { ref, number: command.number, marker }, noteOf(place, command)), done)
  }
}

/** The comment of a merge queue begins with it: it is found by that, and written in place. */
const marker = "<!-- lazaret:queue -->"

/** The comment: the first line is what happened, those that begin with a dash are a list. */
const noteOf = ({ host, redact, url }: Place, { text }: EngineCommand.Of<"tell">): string => {
  const said = (line: string) => Markdown.prose(PlatformWords.sentence(host, redact(line)), 1000)
  const [first = "", ...others] = text.split("\n")
  const listed = others.filter((line) => line.startsWith("- ")).map((line) => `- ${said(line.slice(2))}`)
  const plain = others.filter((line) => !line.startsWith("- ")).map(said)
  const page = url === null ? [] : [Markdown.link("The merge queue in Lazaret", url)]
  return [marker, `**${said(first)}**`, listed.join("\n"), ...plain, ...page].filter((part) => part !== "").join("\n\n")
}

const refused = (
  { id }: EngineCommand.EngineCommand,
  detail: string,
  refusal: EngineCommand.RefusalReason = "not_possible"
): EngineEvent.Of<"refused"> => ({
  kind: "refused",
  command: id,
  refusal,
  detail,
  base: null
})
