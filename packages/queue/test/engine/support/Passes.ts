/** Passes over a state that is written down, and what each of them decides. */
import { EngineConfiguration, EngineState, type Observation } from "@lazaret/queue"
import type * as Entry from "../../../src/engine/Entry.ts"
import type * as Work from "../../../src/engine/Work.ts"

/** A pull request that is open, approved and mergeable. */
export const pull = (number: number, fields: Partial<Observation.Pull> = {}): Observation.Pull =>
  // The rules read these fields alone.
  ({
    number,
    head: `h${number}`,
    base: "main",
    version: 1,
    state: "open",
    draft: false,
    approved: true,
    blockedBy: null,
    mergeable: true,
    ...fields
  }) as Observation.Pull

/** A pull request in the queue that is ready, queued at the instant of its number. */
export const ready = (number: number, fields: Partial<Entry.Entry> = {}): Entry.Entry => ({
  number,
  head: `h${number}`,
  rule: "default",
  priority: 0,
  queuedAt: number,
  by: "ana",
  pull: pull(number),
  readyAt: 0,
  confirmed: null,
  overtaken: 0,
  reruns: 0,
  hold: null,
  leaving: null,
  ...fields
})

/** The decisions of a pass in some state, and when it asks to be called again. */
export const decided = (
  pass: Work.Pass,
  fields: Partial<EngineState.EngineState>,
  configuration: Partial<EngineConfiguration.EngineConfiguration> = {},
  now = 0
) => {
  const work: Work.Work = {
    state: { ...EngineState.initial, ...fields },
    wakeAt: null,
    configuration: { ...EngineConfiguration.defaults, mode: "drive", ...configuration },
    now,
    events: []
  }
  pass(work)
  return { events: work.events, wakeAt: work.wakeAt, state: work.state }
}
