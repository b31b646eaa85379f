/** Digests: what events come to, in as few lines as tell it (beyond the interface). */
import type * as Event from "./Event.ts"
import type { CauseOfTest } from "../insight/CauseOfTest.ts"
import * as Text from "../text/Text.ts"

/** A line of a digest; `testId` is that of the one test that it is about, or of one test of the cause `causeId`; else both are null. */
export interface Line {
  readonly text: string
  readonly testId: string | null
  readonly causeId: string | null
  readonly owners: ReadonlyArray<string>
}

/** A digest: its lines in the order of their first events, at most {@link mostLines}, and the number of further lines. */
export interface Digest {
  readonly lines: ReadonlyArray<Line>
  readonly further: number
}

/** The most lines of a digest: nobody reads more, and channels limit the length of a message. */
export const mostLines = 40

/** From this number on, like events are one line. */
const fewest = 3

type Owners = ReadonlyMap<string, ReadonlyArray<string>>

/** The causes of tests by name, as far as their events are one line. */
export type Causes = ReadonlyMap<string, Pick<CauseOfTest, "causeId" | "name" | "tests">>

/**
 * The digest of events, in the order of the log; `owners` are those of tests.
 *
 * **Details**
 *
 * - Outages of one commit are one line, whatever the number of jobs; so are the verdicts that became broken on that commit.
 * - Verdicts of tests with one cause that became the same are one line, whatever their commits and jobs are.
 * - Verdicts of 3 tests or more that one commit changed in the same way are one line, with the names of the first two.
 * - 3 quarantines or more that began, ended or are to end alike are one line.
 * - Every other event is a line of its own; equal lines are one.
 */
export const of = (events: ReadonlyArray<Event.Event>, owners: Owners, causes: Causes = new Map()): Digest => {
  const shared = sharedIn(events, causes)
  const outages = new Set(events.filter(({ type }) => type === "job_run.outage").map(commitOf))
  const groups = new Map<string, Array<Event.Event>>()
  for (const event of events) {
    const key = keyOf(event, outages, shared)
    const held = groups.get(key)
    if (held === undefined) groups.set(key, [event])
    else held.push(event)
  }
  const lines = [...groups.values()].flatMap((group) => linesOf(group, owners, shared))
  return { lines: lines.slice(0, mostLines), further: Math.max(0, lines.length - mostLines) }
}

/**
 * The number of lines that each of several digests may show, so that all of them together show at most `most`.
 *
 * **Details**
 *
 * Lines are given out in rounds, one for each digest that has one more: a short digest is whole before a long one takes the rest.
 *
 * @example
 * ```ts
 * import { Digest } from "@lazaret/domain"
 *
 * Digest.shares([1, 30, 5], 10) // => [1, 5, 4]
 * ```
 */
export const shares = (counts: ReadonlyArray<number>, most: number): ReadonlyArray<number> => {
  const given = counts.map(() => 0)
  for (let left = most, isOpen = true; left > 0 && isOpen;) {
    isOpen = false
    for (const [index, count] of counts.entries()) {
      if (left === 0 || (given[index] ?? 0) >= count) continue
      given[index] = (given[index] ?? 0) + 1
      left -= 1
      isOpen = true
    }
  }
  return given
}

const commitOf = ({ detail }: Event.Event): string => (typeof detail["commit"] === "string" ? detail["commit"] : "")

const statusOf = ({ detail }: Event.Event, name: "from" | "to"): string => {
  const status = detail[name]
  return typeof status === "string" ? status : ""
}

/** The causes of which changed verdicts of two tests or more are among the events. */
const sharedIn = (events: ReadonlyArray<Event.Event>, causes: Causes): Causes => {
  const changed = new Set(
    events.flatMap(({ testName, type }) => (type === "test.health_changed" ? (testName ?? []) : []))
  )
  const counts = new Map<string, number>()
  for (const name of changed) {
    const id = causes.get(name)?.causeId
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return new Map([...causes].filter(([, { causeId }]) => (counts.get(causeId) ?? 0) > 1))
}

const causeIn = (causes: Causes, { testName, type }: Event.Event) =>
  type === "test.health_changed" ? causes.get(testName ?? "") : undefined

const keyOf = (event: Event.Event, outages: ReadonlySet<string>, causes: Causes): string => {
  const { actor, id, summary, type } = event
  const cause = causeIn(causes, event)
  switch (type) {
    case "job_run.outage":
      return JSON.stringify(["outage", commitOf(event)])
    case "test.health_changed":
      return statusOf(event, "to") === "broken" && outages.has(commitOf(event))
        ? JSON.stringify(["outage", commitOf(event)])
        : cause === undefined
          ? JSON.stringify([type, statusOf(event, "from"), statusOf(event, "to"), commitOf(event)])
          : JSON.stringify(["cause", cause.causeId, statusOf(event, "to")])
    case "quarantine.created":
    case "quarantine.removed":
    case "quarantine.expiring":
    case "quarantine.expired":
      return JSON.stringify([type, actor])
    default:
      return JSON.stringify([type, summary === "" ? id : summary])
  }
}

const linesOf = (group: ReadonlyArray<Event.Event>, owners: Owners, causes: Causes): ReadonlyArray<Line> => {
  const [first] = group
  if (first === undefined) return []
  const outages = group.filter(({ type }) => type === "job_run.outage")
  if (outages.length > 0) return [lineOfMany(outageText(outages, group.length - outages.length), group, owners)]
  const cause = causeIn(causes, first)
  const tests = new Set(group.map(({ testId }) => testId)).size
  if (cause !== undefined && tests > 1) {
    return [
      {
        ...lineOfMany(causeText(cause, tests, statusOf(first, "to")), group, owners),
        testId: first.testId,
        causeId: cause.causeId
      }
    ]
  }
  const isMany = group.length >= fewest && first.testId !== null
  if (first.type === "test.health_changed" && isMany) return [lineOfMany(verdictText(group), group, owners)]
  if (isMany) return [lineOfMany(quarantineText(group), group, owners)]
  if (first.testId === null) return [lineOfMany(counted(first.summary, group.length), group, owners)]
  return group.map((event) => ({
    text: event.summary,
    testId: event.testId,
    causeId: null,
    owners: owners.get(event.testId ?? "") ?? []
  }))
}

const lineOfMany = (text: string, group: ReadonlyArray<Event.Event>, owners: Owners): Line => {
  const ids = new Set(group.flatMap(({ testId }) => (testId === null ? [] : [testId])))
  const all = new Set([...ids].flatMap((testId) => owners.get(testId) ?? []))
  const testId = ids.size === 1 && group.length === 1 ? ([...ids][0] ?? null) : null
  return { text, testId, causeId: null, owners: [...all] }
}

const counted = (summary: string, times: number): string => (times === 1 ? summary : `${summary} (${times} times)`)

const outageText = (outages: ReadonlyArray<Event.Event>, broken: number): string => {
  const [first] = outages
  const more = outages.length - 1
  return [
    `Outage on commit ${short(first === undefined ? "" : commitOf(first))}: ${first?.summary ?? ""}`,
    ...(more > 0 ? [`So did ${more === 1 ? "another job run" : `${more} other job runs`}.`] : []),
    ...(broken > 0 ? [`${broken} verdicts became broken.`] : [])
  ].join(" ")
}

const causeText = ({ name, tests: all }: Pick<CauseOfTest, "name" | "tests">, tests: number, to: string): string =>
  `${tests === all ? tests : `${tests} of ${all}`} tests with one cause became ${to}: ${name}.`

const verdictText = (group: ReadonlyArray<Event.Event>): string => {
  const [first] = group
  const commit = first === undefined ? "" : commitOf(first)
  const where = commit === "" ? "" : ` on commit ${short(commit)}`
  const from = first === undefined ? "" : statusOf(first, "from")
  const to = first === undefined ? "" : statusOf(first, "to")
  return `${group.length} verdicts changed from ${from} to ${to}${where}: ${namesOf(group)}.`
}

const verbs: { readonly [type: string]: string } = {
  "quarantine.created": "tests were quarantined",
  "quarantine.removed": "quarantines were removed",
  "quarantine.expiring": "quarantines are about to end",
  "quarantine.expired": "quarantines have ended, and failures of their tests block again"
}

const quarantineText = (group: ReadonlyArray<Event.Event>): string =>
  `${group.length} ${verbs[group[0]?.type ?? ""] ?? `events of the type ${group[0]?.type ?? ""}`}: ${namesOf(group)}.`

const namesOf = (group: ReadonlyArray<Event.Event>): string => {
  const names = [...new Set(group.map(({ testName }) => testName ?? ""))]
  const shown = names.slice(0, 2).map((name) => `"${cut(name)}"`)
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ")
}

const short = (commit: string): string => (commit === "" ? "unknown" : commit.slice(0, 12))

const shownOfName = 120

const cut = (name: string): string =>
  Text.length(name) <= shownOfName ? name : `${Array.from(name).slice(0, shownOfName).join("")}…`
