/** Generators of merge queue logs, for property tests of stores and servers as well as of the domain. */
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { Instant } from "@lazaret/domain"
import type * as QueueCheck from "../QueueCheck.ts"
import type * as QueueEvent from "../QueueEvent.ts"
import * as QueueRule from "../QueueRule.ts"

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Choice = Schema.Struct({
  kind: Schema.Literals([
    "queued",
    "priority_changed",
    "checks_started",
    "check_updated",
    "checks_ended",
    "merged",
    "dequeued",
    "unknown"
  ]),
  second: whole(0, 60),
  branch: Schema.Literals(["main", "Main", "release/1"]),
  pullRequest: whole(0, 4),
  priority: Schema.Literals([1000, 2000, 2001, 3000]),
  rule: Schema.Literals(["default", "hotfix", "gone"]),
  checkType: Schema.Literals(["in_place", "draft_pr", "draft_pr", "trusted"]),
  checkPullRequest: whole(0, 6),
  checkName: Schema.Literals(["build", "lint", "Test"]),
  round: Schema.Literals(["", "a", "a", "b"]),
  suite: Schema.Literals(["", "ci"]),
  endState: Schema.Literals(["success", "success", "failure", "cancelled", "neutral"]),
  isBare: Schema.Boolean
})

type Choice = typeof Choice.Type

const check = (choice: Choice): QueueCheck.QueueCheck => ({
  name: choice.checkName,
  description: "",
  url: null,
  state: choice.isBare ? "pending" : choice.endState,
  avatarUrl: null
})

const eventOf = (choice: Choice, index: number): QueueEvent.QueueEvent => {
  const common = {
    id: `e${index}`,
    at: choice.second * Instant.second,
    branch: choice.branch,
    pullRequest: choice.pullRequest
  }
  const { kind, isBare } = choice
  const round = choice.round === "" ? {} : { round: choice.round }
  switch (kind) {
    case "queued":
      return isBare ? { ...common, kind } : { ...common, kind, queueRule: choice.rule, priority: choice.priority }
    case "priority_changed":
      return { ...common, kind, priority: choice.priority }
    case "checks_started": {
      const started = { ...common, kind, checkType: choice.checkType, ...round }
      return isBare ? started : { ...started, checkPullRequest: choice.checkPullRequest, evaluatedConditions: "all" }
    }
    case "check_updated":
      return { ...common, kind, check: check(choice), ...round }
    case "checks_ended":
      return {
        ...common,
        kind,
        state: choice.endState,
        ...round,
        ...(choice.suite === "" ? {} : { suite: choice.suite })
      }
    case "merged":
      return { ...common, kind }
    case "dequeued":
      return isBare ? { ...common, kind } : { ...common, kind, reason: "conflict" }
    case "unknown":
      return { ...common, unknownKind: "frozen" }
  }
}

/** How a stay in the queue goes on: the kinds of the events that follow one another. */
const courses = [
  ["queued"],
  ["queued", "checks_started", "check_updated"],
  ["queued", "checks_started", "check_updated", "checks_ended"],
  ["queued", "checks_started", "checks_ended", "priority_changed", "checks_started", "check_updated"],
  ["queued", "checks_started", "check_updated", "checks_ended", "merged"],
  ["queued", "checks_started", "merged"],
  ["queued", "checks_started", "checks_ended", "dequeued", "queued"]
] as const

const Stay = Schema.Struct({ choice: Choice, course: whole(0, courses.length - 1), gap: whole(0, 10) })

const stayOf = ({ choice, course, gap }: typeof Stay.Type): ReadonlyArray<Choice> =>
  (courses[course] ?? []).map((kind, index) => ({ ...choice, kind, second: choice.second + index * gap }))

const choices: Arbitrary.Arbitrary<ReadonlyArray<Choice>> = Arbitrary.map(
  Arbitrary.all([
    Arbitrary.array(Arbitrary.schema(Stay), { minLength: 4, maxLength: 12 }),
    Arbitrary.array(Arbitrary.schema(Choice), { minLength: 6, maxLength: 24 })
  ]),
  ([stays, strays]) => [...stays.flatMap(stayOf), ...strays]
)

/**
 * Logs of 10 to 96 events with unique ids: stays in the queue from start to end, and stray events between them. Pull
 * requests, branches and instants are few, so that events meet and collide.
 */
export const queueEvents: Arbitrary.Arbitrary<ReadonlyArray<QueueEvent.QueueEvent>> = Arbitrary.map(choices, (drawn) =>
  drawn.map(eventOf)
)

/** A log, the same events in another order of delivery, and some of them to be delivered once more. */
export const deliveries: Arbitrary.Arbitrary<{
  readonly events: ReadonlyArray<QueueEvent.QueueEvent>
  readonly delivered: ReadonlyArray<QueueEvent.QueueEvent>
  readonly repeated: ReadonlyArray<QueueEvent.QueueEvent>
}> = Arbitrary.map(
  Arbitrary.all([
    queueEvents,
    Arbitrary.array(Arbitrary.schema(whole(0, 1_000_000)), { minLength: 96, maxLength: 96 })
  ]),
  ([events, places]) => {
    const place = new Map(events.map((event, index) => [event.id, places[index] ?? 0]))
    const placeOf = (event: QueueEvent.QueueEvent) => place.get(event.id) ?? 0
    return {
      events,
      delivered: events.toSorted((a, b) => placeOf(a) - placeOf(b)),
      repeated: events.filter((event) => placeOf(event) % 3 === 0)
    }
  }
)

/** Rules in processing order, named like those that {@link queueEvents} mentions, with batches of 1 to 5. */
export const queueRules: Arbitrary.Arbitrary<ReadonlyArray<QueueRule.QueueRule>> = Arbitrary.map(
  Arbitrary.schema(Schema.Struct({ hotfix: whole(1, 5), fallback: whole(1, 5) })),
  ({ hotfix, fallback }) =>
    QueueRule.prioritize([
      { name: "hotfix", settings: { batchSize: hotfix } },
      { name: "default", settings: { batchSize: fallback } }
    ])
)
