/** Troubles from outside of the repository: outages of the environment, and releases of dependencies. */
import type { Random } from "../queue/Random.ts"
import { between, logNormal, pick, share, weighted } from "./Draw.ts"
import * as Message from "./Message.ts"
import type { Regime } from "./Regime.ts"
import type { Test } from "./Suite.ts"

/** The hours in which something is wrong, the end excluded. */
interface Span {
  readonly from: number
  readonly until: number
}

/**
 * An outage.
 *
 * **Details**
 *
 * - `resource`: the tests that need it are hit; null when every test of a job is, as on a broken machine.
 * - `hit`: the probability that a test which needs it fails; `jobs` are those whose machines are affected.
 * - `messages`: most failures say the first one.
 */
export interface Outage extends Span {
  readonly kind: "outage"
  readonly resource: number | null
  readonly hit: number
  readonly jobs: ReadonlySet<number>
  readonly messages: ReadonlyArray<readonly [Message.Message, number]>
}

/** A release of a library that breaks its users until main pins it. */
export interface Dependency extends Span {
  readonly kind: "dependency"
  readonly library: number
  readonly hit: ReadonlyMap<Test, true>
  readonly jobs: ReadonlySet<number>
  readonly messages: ReadonlyArray<readonly [Message.Message, number]>
}

/** Every outage of a history of this many hours, in order; where runs are `gap` hours apart, they last about as long. */
export const outages = (
  draw: Random,
  regime: Regime,
  { gap: apart, hours }: { readonly hours: number; readonly gap: number }
): ReadonlyArray<Outage> => {
  const usual = Math.max(regime.outages.hours, apart * 1.2)
  const usualMessages = Array.from({ length: regime.outages.resources }, () => messagesOf(draw, regime))
  const found: Array<Outage> = []
  const gap = usual / regime.outages.share
  let at = logNormal(draw, gap, 1) * draw()
  while (at < hours && found.length < 500) {
    const until = at + logNormal(draw, usual, 1)
    found.push({ kind: "outage", from: at, until, ...scopeOf(draw, regime, usualMessages) })
    at = until + logNormal(draw, gap, 1)
  }
  return found
}

const scopeOf = (draw: Random, regime: Regime, usual: ReadonlyArray<Outage["messages"]>) => {
  const { hitMiddle, jobShare, resources } = regime.outages
  const isMachine = draw() < 0.15
  const resource = Math.floor(draw() * resources)
  return {
    resource: isMachine ? null : resource,
    hit: isMachine && draw() < 0.5 ? 1 : share(draw, hitMiddle, 0.8),
    jobs: someJobs(draw, regime.jobs, isMachine ? 0.2 : jobShare),
    messages: isMachine || draw() < 0.35 ? messagesOf(draw, regime) : (usual[resource] ?? messagesOf(draw, regime))
  }
}

/** One message of the environment, some others, and some failures that the outage causes only indirectly. */
const messagesOf = (draw: Random, regime: Regime): Outage["messages"] => {
  const main = between(draw, regime.outages.mainMessage * 0.7, 1)
  const first: Message.Message =
    draw() < 0.12 ? () => ({ type: null, message: null }) : Message.make(draw, "outage", regime)
  return [
    [first, main],
    [Message.make(draw, "outage", regime), (1 - main) * 0.5],
    [Message.make(draw, "flake", regime), (1 - main) * 0.3],
    [Message.make(draw, "change", regime), (1 - main) * 0.2]
  ]
}

/** The releases of a history of this many hours, with `gap` hours between commits of main. */
export const dependencies = (
  draw: Random,
  regime: Regime,
  tests: ReadonlyArray<Test>,
  { gap, hours }: { readonly hours: number; readonly gap: number }
): ReadonlyArray<Dependency> =>
  Array.from({ length: regime.dependencies }, () => {
    const from = between(draw, hours * 0.15, hours)
    const library = Math.floor(draw() * 3)
    const wide = share(draw, 0.6, 1)
    const users = tests.filter(({ file }) => file.libraries.has(library) && draw() < wide)
    return {
      kind: "dependency",
      from,
      until: from + Math.max(logNormal(draw, 20, 0.8), gap * logNormal(draw, 2.5, 0.6)),
      library,
      hit: new Map(users.map((test) => [test, true])),
      jobs: someJobs(draw, regime.jobs, 0.8),
      messages: [
        [Message.make(draw, "dependency", regime), between(draw, 0.75, 1)],
        [Message.make(draw, "dependency", regime), 0.1]
      ]
    }
  })

const someJobs = (draw: Random, jobs: number, part: number): ReadonlySet<number> => {
  const all = Array.from({ length: jobs }, (_, job) => job)
  const some = all.filter(() => draw() < part)
  return new Set(some.length === 0 ? [pick(draw, all)] : some)
}

/** Whether a trouble lasts at an hour. */
export const isActive = ({ from, until }: Span, hour: number): boolean => from <= hour && hour < until

/** The message of a failure by a trouble. */
export const say = (draw: Random, { messages }: Pick<Outage, "messages">): Message.Exception =>
  weighted(draw, messages)(draw)
