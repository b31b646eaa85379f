/** The oracle on events: the log is a list, and a verdict has moved when it is another one after the write. */
import { Event, type Report } from "@lazaret/domain"
import { EventStore } from "@lazaret/store"
import { Effect } from "effect"
import { defaultBranchOf, type Facts } from "./Facts.ts"
import * as Identities from "./Identities.ts"
import * as Searches from "./Searches.ts"
import { empty, ensure, find, requireText, type World } from "./World.ts"

export const log = (facts: Facts, events: ReadonlyArray<Event.Event>): number => {
  const fresh = events.filter(({ id }, index) => {
    const isKnown = facts.log.some((event) => event.id === id)
    return !isKnown && events.findIndex((event) => event.id === id) === index
  })
  const last = facts.lastPosition
  facts.log = [...facts.log, ...fresh.map((event, index) => ({ ...event, position: last + index + 1 }))]
  facts.lastPosition += fresh.length
  return fresh.length
}

const nameOf = ({ jobName, pipelineName, testName }: Identities.Subject["identity"]): string =>
  JSON.stringify([testName, pipelineName, jobName])

const statesOf = (facts: Facts) =>
  new Map(
    Identities.subjectsOf(facts).map((subject) => [nameOf(subject.identity), { ...subject, ...stateOf(subject) }])
  )

const stateOf = (subject: Identities.Subject) => {
  const { mover, rule, status } = Identities.stateOf(subject)
  return { mover, rule, status }
}

/** Does a write and tells which verdicts it has moved. */
export const around = (facts: Facts, report: Report.Report, write: () => void): void => {
  const [before, branch] = [statesOf(facts), defaultBranchOf(facts)]
  write()
  const after = statesOf(facts)
  const { jobName, pipelineName } = report.run
  const named = new Set(report.executions.map(({ testName }) => nameOf({ testName, pipelineName, jobName })))
  const isLookedAt = (name: string) => defaultBranchOf(facts) === branch || named.has(name)
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(isLookedAt)
  const moves = names.flatMap((name): ReadonlyArray<Event.Move> => {
    const [was, is] = [before.get(name), after.get(name)]
    const subject = is ?? was
    const [from, to] = [was?.status ?? "healthy", is?.status ?? "healthy"]
    if (subject === undefined || from === to) return []
    const commit = is?.mover?.commit ?? null
    const pull = commit === null ? null : (facts.pulls.get(commit) ?? null)
    return [{ identity: subject.identity, from, to, rule: is?.rule ?? "start", commit, pull }]
  })
  const cause = { id: report.id, at: report.receivedAt, branch: defaultBranchOf(facts) }
  log(facts, moves.length > 500 ? [Event.manyHealthChanged(moves, cause)] : Event.healthChanged(moves, cause))
}

export const storeOf = (world: World) => {
  const logOf = (ref: Parameters<typeof find>[1]) => find(world, ref)?.log ?? empty.log
  return EventStore.of({
    append: (ref, events, at) =>
      Effect.andThen(
        requireText("EventStore.append", events),
        Effect.sync(() => log(ensure(world, ref, at), events))
      ),
    page: (ref, { from, limit, type }) =>
      Effect.sync(() => {
        const rows = logOf(ref).filter((event) => type === null || event.type === type)
        return Searches.cut(rows.toReversed(), from, limit, (row, position) => position - row.position)
      }),
    after: (ref, position, limit) =>
      Effect.sync(() =>
        logOf(ref)
          .filter((event) => event.position > position)
          .slice(0, limit)
      ),
    head: (ref) => Effect.sync(() => find(world, ref)?.lastPosition ?? 0),
    prune: (ref, before) =>
      Effect.sync(() => {
        const facts = find(world, ref)
        if (facts === undefined) return 0
        const dropped = facts.log.filter(({ at }) => at < before).length
        facts.log = facts.log.filter(({ at }) => at >= before)
        return dropped
      })
  })
}
