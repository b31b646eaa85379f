/** Commands of an engine, carried out at the hosting platform. */
import { type EngineCommand, EngineConfiguration, type EngineEvent } from "@lazaret/queue"
import { Effect, Result } from "effect"
import type { ForgeError } from "../ports/Forge.ts"
import * as DriveExecution from "./DriveExecution.ts"

/**
 * The place where commands are carried out. `url` is the page of the queue, null when the public address is not known; `drive` is null
 * where the platform cannot be driven.
 */
export interface Place extends Omit<DriveExecution.Place, "drive"> {
  readonly drive: DriveExecution.Place["drive"] | null
  readonly url: string | null
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
      return Effect.as(forge.cancel(ref, command.sha), done)
    case "enqueue":
      return Effect.as(forge.enqueue(ref, command.member), done)
    case "dequeue":
      return Effect.as(forge.dequeue(ref, command.number), done)
  }
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
