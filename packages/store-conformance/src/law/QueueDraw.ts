/** Generated queue events: few pull requests, branches and instants, so that events meet, collide and contradict. */
import { Instant } from "@lazaret/domain"
import { type QueueEvent } from "@lazaret/queue"
import { Schema } from "effect"
import * as Sample from "./Sample.ts"

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Schema of one generated event; `place` says when it arrives. */
export const QueueDraw = Schema.Struct({
  kind: Schema.Literals([
    "queued",
    "queued",
    "priority_changed",
    "checks_started",
    "checks_ended",
    "merged",
    "dequeued",
    "odd"
  ]),
  second: whole(0, 30),
  branch: Schema.Literals(["main", "release/1"]),
  pullRequest: Schema.Literals([1, 2, 3, Number.MAX_SAFE_INTEGER]),
  place: whole(0, 999_999)
})

/** One generated event. */
export type QueueDraw = typeof QueueDraw.Type

/** The event of a draw, with this id. */
export const eventOf = ({ branch, kind, pullRequest, second }: QueueDraw, id: string): QueueEvent.QueueEvent => {
  const common = { id, at: Sample.noon + second * Instant.second, branch, pullRequest }
  switch (kind) {
    case "queued":
      return { ...common, kind: "queued", queueRule: "default", priority: 1000 * (1 + (second % 3)) }
    case "priority_changed":
      return { ...common, kind, priority: 3000 }
    case "checks_started":
      return { ...common, kind, checkType: "in_place" }
    case "checks_ended":
      return { ...common, kind, state: second % 2 === 0 ? "success" : "failure" }
    case "merged":
      return { ...common, kind }
    case "dequeued":
      return { ...common, kind, reason: "conflict" }
    case "odd":
      return { ...common, unknownKind: "frozen" }
  }
}
