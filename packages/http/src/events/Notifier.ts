/** Notifiers on the wire (beyond the interface). */
import type { Schemas } from "@lazaret/api"
import { Channel, Event, type Notifier } from "@lazaret/domain"
import type { NewNotifier, NewWideNotifier, NotifierState, WideNotifierState } from "@lazaret/services"

type Body = typeof Schemas.CreateNotifier.Type

type Shown = typeof Schemas.Notifier.Type

/** The notifier that a body asks for. */
export const newOf = (body: Body, by: string): NewNotifier => ({ ...wanted(body), by })

/** The wide notifier that a body asks for. */
export const newWideOf = (body: typeof Schemas.CreateWideNotifier.Type): NewWideNotifier => ({
  ...wanted(body),
  repositories: [...new Set(body.repositories)]
})

const wanted = ({ channel, events, owners, schedule }: Body): Omit<NewNotifier, "by"> => ({
  channel:
    channel.kind === "email"
      ? { _tag: "Email", to: channel.to }
      : { _tag: Channel.tagOf(channel.kind), url: channel.url },
  types: [...new Set(events)],
  owners: [...new Set(owners)],
  schedule: schedule === undefined ? { _tag: "AtOnce" } : scheduleOf(schedule)
})

const scheduleOf = (schedule: Shown["schedule"]): Notifier.Schedule => {
  switch (schedule.every) {
    case "at_once":
      return { _tag: "AtOnce" }
    case "day":
      return { _tag: "Daily", hour: schedule.hour, timeZone: schedule.time_zone }
    case "week":
      return { _tag: "Weekly", weekday: schedule.weekday, hour: schedule.hour, timeZone: schedule.time_zone }
  }
}

/** A notifier as the wire shows it: one that reports all events names all types. */
export const of = ({
  attempts,
  failure,
  nextAt,
  notifier,
  sentAt
}: Pick<NotifierState, "attempts" | "failure" | "nextAt" | "notifier" | "sentAt">): Shown => ({
  id: notifier.id,
  channel: channelOf(notifier.channel),
  events: notifier.types.length === 0 ? Event.EventType.literals : notifier.types,
  owners: notifier.owners,
  schedule: shownSchedule(notifier.schedule),
  created_at: notifier.createdAt,
  created_by: notifier.createdBy,
  sent_at: sentAt,
  failure,
  attempts,
  next_at: notifier.schedule._tag === "AtOnce" && attempts === 0 ? null : nextAt
})

/** A wide notifier as the wire shows it. */
export const wideOf = (state: WideNotifierState): typeof Schemas.WideNotifier.Type => ({
  repositories: state.notifier.repositories,
  ...of(state)
})

/** The path of an incoming webhook is a secret. */
const channelOf = (channel: Channel.Channel): Shown["channel"] =>
  channel._tag === "Email"
    ? { kind: "email", to: channel.to }
    : { kind: Channel.webhooks[channel._tag].kind, host: new URL(channel.url).host }

const shownSchedule = (schedule: Notifier.Schedule): Shown["schedule"] => {
  switch (schedule._tag) {
    case "AtOnce":
      return { every: "at_once" }
    case "Daily":
      return { every: "day", hour: schedule.hour, time_zone: schedule.timeZone }
    case "Weekly":
      return { every: "week", weekday: schedule.weekday, hour: schedule.hour, time_zone: schedule.timeZone }
  }
}
