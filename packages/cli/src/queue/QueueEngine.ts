/** The commands of a merge queue that acts: `lazaret queue chain`, `log`, `why`, `preflight`, `add`, `remove`, `waive-trial` and `certify`. */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as Flags from "../connection/Flags.ts"
import * as Session from "../connection/Session.ts"
import { certify } from "./QueueCertify.ts"
import * as Table from "../terminal/Table.ts"
import { plain, type Terminal } from "../terminal/Terminal.ts"

type Engine = (typeof Schemas.MergeQueueEngines.Type)["engines"][number]

type Group = Engine["groups"][number]

type Line = (typeof Schemas.MergeQueueLog.Type)["lines"][number]

type Preflight = typeof Schemas.MergeQueuePreflight.Type

const branch = Flag.String("branch").pipe(
  Flag.withDescription("Base branch (the default branch)"),
  Flag.filter(
    (name) => name !== "",
    () => "the name of the branch is empty"
  ),
  Flag.optional
)

const queryOf = (given: Option.Option<string>) =>
  Option.match(given, { onNone: () => ({}), onSome: (name) => ({ branch: name }) })

const number = Argument.Int("number").pipe(
  Argument.withDescription("Number of the pull request"),
  Argument.filter(
    (given) => given >= 0,
    (given) => `"${given}" is not the number of a pull request`
  )
)

const pullAt = (of: Repository.RepositoryRef, pull: number) => ({ ...of, number: pull })

/** The sign before the number of a pull request at the platform. */
type Sign = (typeof Schemas.MergeQueueEngines.Type)["pull_sign"]

const list = (sign: Sign, pulls: ReadonlyArray<number>): string => pulls.map((pull) => `${sign}${pull}`).join(", ")

const chain = Command.make(
  "chain",
  Flags.ofRepository,
  Effect.fn("lazaret.queue.chain")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.call(name, (api) => api.getMergeQueueEngine({ params, ...both }))
    yield* Session.print(given, body, (terminal) =>
      value.engines.length === 0
        ? plain(`no base branch has an engine. ${value.explanation ?? ""}`.trim())
        : value.engines.map((engine) => engineOf(terminal, engine, value.pull_sign)).join("\n\n")
    )
  })
).pipe(
  Command.withDescription(
    "Show the chain of groups that the hosting platform tests for each base branch, or of the batches that Lazaret tests, why each " +
      "waits, and what a queue in the shadow would do."
  ),
  Command.withShortDescription("Show the groups, and why each waits"),
  Command.withExamples([
    { command: "lazaret queue chain --repo acme/widgets", description: "Show why the queue waits" }
  ])
)

const engineOf = (terminal: Terminal, engine: Engine, sign: Sign): string => {
  const { evicted, explanation, findings, groups, incident, pause, returning, waiting } = engine
  const shadowed = (findings ?? []).filter(({ level }) => level === "impossible")
  const lines = [
    `${engine.branch}: ${explanation}`,
    ...(pause === null ? [] : [`paused since ${Session.secondOf(pause.since)} by ${pause.by}: ${pause.reason}`]),
    ...(incident === null ? [] : [`unrelated groups fail alike (${incident.signature}); nobody is evicted`]),
    ...(waiting.length === 0 ? [] : [`waiting for a group: ${list(sign, waiting)}`]),
    ...(returning.length === 0 ? [] : [`to be queued again: ${list(sign, returning)}`]),
    ...(shadowed.length === 0 ? [] : ["`lazaret queue preflight` says what to change."]),
    ...evicted.map(({ explanation: why, number: pull }) => `${sign}${pull} was evicted: ${why}`),
    ...engine.savings.slice(-weeksShown).map(({ sentence }) => sentence)
  ].map(plain)
  const tables = [
    ...(groups.length === 0 ? [] : [Table.make(terminal, groupColumns(sign), groups)]),
    ...(engine.batches.length === 0 ? [] : [Table.make(terminal, batchColumns(sign), engine.batches)]),
    ...(engine.queued.length === 0 ? [] : [Table.make(terminal, queuedColumns(sign), engine.queued)])
  ]
  return [[...lines, ...foresightOf(engine)].join("\n"), ...tables].join("\n")
}

/** The sums of what the shadow of a driven queue has foreseen. */
const foresightOf = ({ foresight, shadow }: Engine): ReadonlyArray<string> => {
  if (foresight === null || (!shadow && foresight.batches === 0)) return []
  const { batches, evictions, evictions_of_innocents: innocents, pulls, reruns, reruns_that_passed: passed } = foresight
  return [
    plain(
      `in the shadow: ${pulls} pull requests would have landed in ${batches} batches; ${reruns} failures would have run again (${passed} ` +
        `passed later), ${evictions} pull requests would have left (${innocents} were merged at that commit)`
    )
  ]
}

const batchColumns = (sign: Sign): ReadonlyArray<Table.Column<Engine["batches"][number]>> => [
  { heading: "batch", cell: ({ pulls }) => list(sign, pulls) },
  { heading: "phase", cell: ({ phase }) => phase },
  { heading: "on", cell: ({ onto }) => (onto.length === 0 ? "the base branch" : list(sign, onto)), canShrink: true },
  { heading: "attempt", cell: ({ attempt }) => String(attempt), isNumber: true },
  {
    heading: "checks",
    cell: ({ checks }) => checks.map(({ name, state }) => `${name} ${state}`).join(", "),
    canShrink: true
  }
]

const queuedColumns = (sign: Sign): ReadonlyArray<Table.Column<Engine["queued"][number]>> => [
  { heading: "pull request", cell: ({ number: pull }) => `${sign}${pull}` },
  { heading: "rule", cell: ({ rule: of }) => of },
  { heading: "priority", cell: ({ priority: given }) => String(given), isNumber: true },
  { heading: "why it waits", cell: ({ explanation }) => explanation, canShrink: true }
]

/** The weeks of savings that are shown, this one included. */
const weeksShown = 4

const groupColumns = (sign: Sign): ReadonlyArray<Table.Column<Group>> => [
  { heading: "pull request", cell: ({ pulls }) => list(sign, pulls) },
  { heading: "commit", cell: ({ id }) => id.slice(0, 10) },
  { heading: "attempt", cell: ({ attempt }) => String(attempt), isNumber: true },
  {
    heading: "checks",
    cell: ({ checks }) => checks.map(({ name, state }) => `${name} ${state}`).join(", "),
    canShrink: true
  },
  { heading: "why it waits", cell: ({ explanation }) => explanation, canShrink: true }
]

const lineColumns: ReadonlyArray<Table.Column<Line>> = [
  { heading: "at", cell: ({ at }) => Session.secondOf(at) },
  { heading: "what", cell: ({ sentence }) => sentence, canShrink: true }
]

const log = Command.make(
  "log",
  { ...Flags.ofRepository, branch, limit: Flags.limit },
  Effect.fn("lazaret.queue.log")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const about = queryOf(given.branch)
    const { entries, json } = yield* session.list({
      subject: name,
      key: "lines",
      most: given.limit,
      page: (api, at) => api.listMergeQueueLog({ params, query: { ...about, ...at }, ...both })
    })
    yield* Session.print(given, json(entries, { per_page: given.limit }), (terminal) =>
      entries.length === 0
        ? "the log is empty"
        : Table.make(
            terminal,
            lineColumns,
            entries.map(({ row }) => row)
          )
    )
  })
).pipe(
  Command.withDescription("Show what the gate of a base branch read and decided, the newest first."),
  Command.withShortDescription("Show the log of the queue"),
  Command.withExamples([{ command: "lazaret queue log --repo acme/widgets", description: "Show the last decisions" }])
)

const why = Command.make(
  "why",
  { ...Flags.ofRepository, number },
  Effect.fn("lazaret.queue.why")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const at = pullAt(params, given.number)
    const { body, value } = yield* session.call(name, (api) => api.getMergeQueueHistory({ params: at, ...both }))
    yield* Session.print(given, body, (terminal) =>
      [...outcomeOf(value), Table.make(terminal, lineColumns, value.lines)].join("\n")
    )
  })
).pipe(
  Command.withDescription("Show the history of a pull request in the merge queue, and why it left it."),
  Command.withShortDescription("Show the history of a pull request"),
  Command.withExamples([
    { command: "lazaret queue why --repo acme/widgets 42", description: "Show why #42 was evicted" }
  ])
)

/** The last outcome, with each failed test and its verdict. */
const outcomeOf = ({ outcomes: [last] }: typeof Schemas.MergeQueueHistory.Type): ReadonlyArray<string> => {
  if (last === undefined) return []
  const left = last.outcome === "evicted" ? "left the queue" : "was kept"
  return [
    `It ${left} at ${Session.secondOf(last.at)}: ${last.sentence}`,
    ...last.tests.map(({ check, test, verdict }) => `  ${check}: ${test ?? "no report of tests"} (${verdict})`),
    ...(last.url === null ? [] : [`  ${last.url}`]),
    ""
  ].map(plain)
}

const preflight = Command.make(
  "preflight",
  { ...Flags.ofRepository, branch },
  Effect.fn("lazaret.queue.preflight")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const query = queryOf(given.branch)
    const { body, value } = yield* session.call(name, (api) => api.getMergeQueuePreflight({ params, query, ...both }))
    yield* Session.print(given, body, (terminal) => findingsOf(terminal, value))
  })
).pipe(
  Command.withDescription(
    "Read the rules of the repository, and show whether a gate or a driven queue can act on a base branch, and why not."
  ),
  Command.withShortDescription("Check the rules of the branch"),
  Command.withExamples([
    { command: "lazaret queue preflight --repo acme/widgets", description: "Show what keeps the gate in the shadow" }
  ])
)

const findingsOf = (terminal: Terminal, report: Preflight): string => {
  const isActing = report.mode === "gate" || report.mode === "drive"
  const isShadow = isActing && report.shadow
  const mode = `${report.branch}: mode ${report.mode}${isShadow ? ", in the shadow" : ""}`
  if (!isActing) return plain(`${mode}; the rules matter to a gate and to a driven queue`)
  if (report.findings.length === 0) return plain(`${mode}; the rules are not known: is the app installed?`)
  const who = report.mode === "gate" ? "a gate" : "a driven queue"
  const verdict = report.can_act ? `${who} can act` : `${who} can only decide in the shadow`
  const age = report.is_live ? "" : " (by the rules as they were last read)"
  return `${plain(`${mode}; ${verdict}${age}`)}\n${Table.make(terminal, findingColumns, report.findings)}`
}

const findingColumns: ReadonlyArray<Table.Column<Preflight["findings"][number]>> = [
  { heading: "level", cell: ({ level }) => level },
  { heading: "rule", cell: ({ rule }) => rule },
  { heading: "meaning", cell: ({ message }) => message, canShrink: true }
]

const rule = Flag.String("rule").pipe(
  Flag.withDescription("Queue rule (the first one); only where Lazaret drives the queue"),
  Flag.optional
)

const priority = Flag.String("priority").pipe(
  Flag.withDescription("low, medium, high or a whole number; only where Lazaret drives the queue"),
  Flag.optional
)

const optionsOf = (given: { readonly rule: Option.Option<string>; readonly priority: Option.Option<string> }) => ({
  ...Option.match(given.rule, { onNone: () => ({}), onSome: (name) => ({ rule: name }) }),
  ...Option.match(given.priority, { onNone: () => ({}), onSome: (value) => ({ priority: value }) })
})

const add = Command.make(
  "add",
  { ...Flags.ofRepository, number, rule, priority },
  Effect.fn("lazaret.queue.add")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const at = pullAt(params, given.number)
    const { body, value } = yield* session.call(name, (api) =>
      api.queuePull({ params: at, query: optionsOf(given), ...both })
    )
    yield* Session.print(given, body, () => plain(`${value.number} is being put into the queue of ${value.branch}`))
  })
).pipe(
  Command.withDescription(
    "Put an open pull request into the merge queue, also again after an eviction; with a priority, also one that is queued. Needs a " +
      "queue that Lazaret drives, or a gate that is not in the shadow."
  ),
  Command.withShortDescription("Queue a pull request"),
  Command.withExamples([{ command: "lazaret queue add --repo acme/widgets 42", description: "Queue #42 again" }])
)

const remove = Command.make(
  "remove",
  { ...Flags.ofRepository, number },
  Effect.fn("lazaret.queue.remove")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const at = pullAt(params, given.number)
    const { body, value } = yield* session.call(name, (api) => api.dequeuePull({ params: at, ...both }))
    yield* Session.print(given, body, () => plain(`${value.number} is being taken out of the queue of ${value.branch}`))
  })
).pipe(
  Command.withDescription(
    "Take a pull request out of the merge queue. Needs a queue that Lazaret drives, or a gate that is not in the shadow."
  ),
  Command.withShortDescription("Dequeue a pull request"),
  Command.withExamples([{ command: "lazaret queue remove --repo acme/widgets 42", description: "Dequeue #42" }])
)

const waive = Command.make(
  "waive-trial",
  {
    ...Flags.ofRepository,
    branch,
    reason: Flag.String("reason").pipe(Flag.withDescription("Why the gate may act already; it is in the audit log"))
  },
  Effect.fn("lazaret.queue.waive")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { reason } = given
    const about = { params, query: queryOf(given.branch), payload: { reason }, ...both }
    const { body, value } = yield* session.call(name, (api) => api.waiveTrial(about))
    yield* Session.print(given, body, () => plain(`the queue of ${value.branch} may act`))
  })
).pipe(
  Command.withDescription(
    "Let a gate act although not all that it needs was seen at work (lazaret github check says what is missing), or let a queue be " +
      "driven at a platform that is not certified."
  ),
  Command.withShortDescription("End the trial of a gate early"),
  Command.withExamples([
    {
      command: 'lazaret queue waive-trial --repo acme/widgets --reason "tried on the old server"',
      description: "Let the gate act"
    }
  ])
)

/** The commands of a merge queue that acts. */
export const commands = [chain, log, why, preflight, add, remove, waive, certify] as const
