/** States for the rules of the fold: each has the fields that its rule reads. */
import { type EngineCommand, EngineState, type Observation } from "@lazaret/queue"
import * as Batch from "../../../src/engine/Batch.ts"
import * as Round from "../../../src/engine/Round.ts"

/** A command. */
export type Command = EngineCommand.EngineCommand

/** A pull request at its head. */
export const member = (number: number): Observation.Member => ({ number, head: `h${number}` })

/** A tip of the base branch. */
export const tip = (sha: string, version: number): Observation.Tip => ({ sha, tree: `tree-${sha}`, version })

/** A command with the fields that the fold reads. */
export const command = (kind: Command["kind"], fields: Readonly<Record<string, unknown>> = {}): Command =>
  ({ kind, id: `${kind}/1`, ...fields }) as Command

/** A state with some fields. */
export const state = (fields: Partial<EngineState.EngineState> = {}): EngineState.EngineState => ({
  ...EngineState.initial,
  ...fields
})

/** A state in which a command is under way. */
export const sent = (each: Command, fields: Partial<EngineState.EngineState> = {}, tries = 0) =>
  state({ ...fields, inflight: [{ command: each, tries, notBefore: 0, refusal: null }] })

/** An entry of the queue. */
export const entry = (number: number, confirmed: string | null = null) =>
  // The fold reads these fields alone.
  ({ number, confirmed, hold: null, pull: null }) as EngineState.EngineState["entries"][number]

/** A group of the platform that holds the first pull request. */
export const group = (id: string, fields: Readonly<Record<string, unknown>> = {}) =>
  // The fold reads these fields alone.
  ({
    id,
    members: [member(1)],
    gone: null,
    concluded: null,
    round: Round.begin(id, "t", 0),
    ...fields
  }) as unknown as EngineState.NativeGroup

/** A batch of the first pull request. */
export const batch = (id: string, fields: Partial<Batch.Batch> = {}): Batch.Batch => ({
  ...Batch.make(id, "default", [member(1)]),
  ...fields
})
