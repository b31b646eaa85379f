/** `lazaret notifications`: add, list, remove, test. */
import type { Schemas } from "@lazaret/api"
import { Channel } from "@lazaret/domain"
import { Effect, Option, Record } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Flags from "../connection/Flags.ts"
import * as Id from "../connection/Id.ts"
import type { Loaded } from "../ServerCommands.ts"
import * as Session from "../connection/Session.ts"
import * as StandardInput from "../terminal/StandardInput.ts"
import * as Table from "../terminal/Table.ts"
import { plain } from "../terminal/Terminal.ts"
import { typeFlag, typesText } from "./Events.ts"

type Notifier = typeof Schemas.Notifier.Type

type Body = typeof Schemas.CreateNotifier.Type

type Wide = typeof Schemas.WideNotifier.Type

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const

const flags = {
  webhooks: Record.map(Channel.webhooks, ({ kind, name }) =>
    Flag.Boolean(`${kind}-stdin`).pipe(
      Flag.withDescription(
        `Send to ${name}; its incoming webhook is read from the standard input, because it is a secret`
      ),
      Flag.withDefault(false)
    )
  ),
  email: Flag.String("email").pipe(
    Flag.withMetavar("address"),
    Flag.withDescription("Send e-mail to this address; repeatable"),
    Flag.atLeast(0)
  ),
  type: typeFlag("Only events of this type; repeatable (all types)").pipe(Flag.atLeast(0)),
  owner: Flag.String("owner").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription("Only tests of this owner, as CODEOWNERS names it, such as @acme/web; repeatable (all tests)"),
    Flag.atLeast(0)
  ),
  daily: Flag.Int("daily").pipe(
    Flag.withMetavar("hour"),
    Flag.withDescription("One digest a day at this hour, 0 to 23 (else: at once)"),
    Flag.optional
  ),
  weekly: Flag.Literals("weekly", weekdays).pipe(
    Flag.withDescription("One digest a week on this day, at 9 or at the hour of --daily"),
    Flag.optional
  ),
  timeZone: Flag.String("time-zone").pipe(
    Flag.withMetavar("zone"),
    Flag.withDescription("Time zone of a digest, such as Europe/Paris (UTC)"),
    Flag.optional
  )
}

interface Given {
  readonly webhooks: Readonly<Record<Channel.WebhookTag, boolean>>
  readonly email: ReadonlyArray<string>
  readonly daily: Option.Option<number>
  readonly weekly: Option.Option<(typeof weekdays)[number]>
  readonly timeZone: Option.Option<string>
}

const scheduleOf = Effect.fnUntraced(function* (given: Given) {
  const { daily, weekly } = given
  const time_zone = Option.getOrElse(given.timeZone, () => "UTC")
  if (Option.isSome(weekly)) {
    const hour = Option.getOrElse(daily, () => 9)
    return { every: "week", weekday: weekdays.indexOf(weekly.value) + 1, hour, time_zone } as const
  }
  if (Option.isSome(daily)) return { every: "day", hour: daily.value, time_zone } as const
  if (Option.isSome(given.timeZone)) {
    return yield* CommandFailure.usage("--time-zone is that of a digest: give --daily or --weekly, too.")
  }
  return { every: "at_once" } as const
})

const channelOf = Effect.fnUntraced(function* ({ email, webhooks }: Given) {
  const [tag, ...others] = Channel.webhookTags.filter((each) => webhooks[each])
  if (others.length > 0 || (tag !== undefined) === email.length > 0) {
    const flagsText = Channel.webhookKinds.map((kind) => `--${kind}-stdin`).join(" or ")
    return yield* CommandFailure.usage(`Give either ${flagsText}, or --email for one address or several.`)
  }
  if (tag === undefined) return { kind: "email", to: email } as const
  const pieces = yield* StandardInput.pieces("the address of the incoming webhook")
  return { kind: Channel.webhooks[tag].kind, url: Buffer.concat(pieces).toString("utf8").trim() } as const
})

const across = Flag.String("across").pipe(
  Flag.withMetavar("pattern"),
  Flag.withDescription(
    "Several repositories in one message instead of the one of --repo: a pattern such as 'acme/*' or 'acme/web-*', or '*/*' for all; repeatable"
  ),
  Flag.filter(
    (given) => /^(?:\*|[A-Za-z0-9-]{1,40})\/[\w.*?-]{1,100}$/u.test(given),
    (given) => `"${given}" is not a pattern of repositories: write owner/pattern, such as acme/* or */web-*`
  ),
  Flag.atLeast(0)
)

const wide = Flag.Boolean("wide").pipe(
  Flag.withDescription("Of several repositories: those that were added with --across"),
  Flag.withDefault(false)
)

const add = Command.make(
  "add",
  { ...Flags.ofRepository, across, ...flags },
  Effect.fn("lazaret.notifications.add")(function* (given) {
    const payload: Body = {
      channel: yield* channelOf(given),
      schedule: yield* scheduleOf(given),
      ...(given.type.length === 0 ? {} : { events: given.type }),
      ...(given.owner.length === 0 ? {} : { owners: given.owner })
    }
    // A repetition would create a second notifier, and everything would be sent twice.
    if (given.across.length > 0) {
      const session = yield* Session.open(given)
      const body = { ...payload, repositories: given.across }
      const answer = yield* session.once(null, (api) => api.createWideNotifier({ payload: body, ...both }))
      return yield* Session.print(given, answer.body, () => createdText(answer.value, " --wide"))
    }
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.once(name, (api) => api.createNotifier({ params, payload, ...both }))
    yield* Session.print(given, body, () => createdText(value, ""))
  })
).pipe(
  Command.withDescription(
    "Send events to Slack, to Microsoft Teams or by e-mail from now on, at once or in a digest. Similar events share one line."
  ),
  Command.withShortDescription("Notify people of events"),
  Command.withExamples([
    {
      command: "lazaret notifications add --slack-stdin --type job_run.outage --type test.health_changed < webhook-url",
      description: "Outages and changed verdicts in Slack, at once"
    },
    {
      command:
        "lazaret notifications add --email web@example.com --owner @acme/web --weekly monday --time-zone Europe/Paris",
      description: "A digest for a team, on Mondays at nine"
    },
    {
      command: "lazaret notifications add --across 'acme/*' --email house@example.com --daily 8",
      description: "One digest a day of all repositories of an owner"
    }
  ])
)

const createdText = ({ failure, id }: Pick<Notifier | Wide, "failure" | "id">, flag: string): string =>
  failure === null
    ? `notifier ${id} is created; send a test message: lazaret notifications test${flag} ${id}`
    : `notifier ${id} is created, and sends nothing yet: ${plain(failure)} on the server, and start it again.`

const list = Command.make(
  "list",
  { ...Flags.ofRepository, wide },
  Effect.fn("lazaret.notifications.list")(function* (given) {
    if (given.wide) {
      const session = yield* Session.open(given)
      const { body, value } = yield* session.call(null, (api) => api.listWideNotifiers(both))
      return yield* Session.print(given, body, (terminal) =>
        value.notifiers.length === 0
          ? "there is no notifier of several repositories"
          : Table.make(terminal, [idColumn, repositoriesColumn, ...columns], value.notifiers)
      )
    }
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.call(name, (api) => api.listNotifiers({ params, ...both }))
    yield* Session.print(given, body, (terminal) =>
      value.notifiers.length === 0
        ? "there is no notifier"
        : Table.make(terminal, [idColumn, ...columns], value.notifiers)
    )
  })
).pipe(
  Command.withDescription(
    "List notifiers, the oldest first, with when each last wrote and why its last attempt failed. With --wide: those of several repositories."
  ),
  Command.withShortDescription("List notifiers"),
  Command.withExamples([{ command: "lazaret notifications list", description: "List notifiers" }])
)

const scheduleText = (schedule: Notifier["schedule"]): string => {
  switch (schedule.every) {
    case "at_once":
      return "at once"
    case "day":
      return `daily ${schedule.hour}:00 ${schedule.time_zone}`
    case "week":
      return `${weekdays[schedule.weekday - 1] ?? ""} ${schedule.hour}:00 ${schedule.time_zone}`
  }
}

const idColumn: Table.Column<Notifier> = { heading: "id", cell: ({ id }) => id }

const repositoriesColumn: Table.Column<Wide> = {
  heading: "repositories",
  cell: ({ repositories }) => repositories.join(" "),
  canShrink: true
}

const columns: ReadonlyArray<Table.Column<Notifier>> = [
  {
    heading: "to",
    cell: ({ channel }) => (channel.kind === "email" ? channel.to.join(" ") : channel.host),
    canShrink: true
  },
  { heading: "when", cell: ({ schedule }) => scheduleText(schedule) },
  { heading: "owners", cell: ({ owners }) => (owners.length === 0 ? "all" : owners.join(" ")), canShrink: true },
  { heading: "events", cell: ({ events }) => typesText(events), canShrink: true },
  { heading: "last sent", cell: ({ sent_at }) => (sent_at === null ? "never" : Session.secondOf(sent_at)) },
  {
    heading: "failure",
    cell: ({ attempts, failure }) => (failure === null ? "" : `${failure} (attempt ${attempts})`),
    canShrink: true,
    colour: ({ failure }) => (failure === null ? null : "red")
  }
]

const notifier = Argument.String("notifier").pipe(
  Argument.withDescription("Id of the notifier, as notifications list shows it")
)

const ofNotifier = { ...Flags.ofRepository, wide, notifier }

type OfNotifier = Flags.OfRepository & { readonly wide: boolean; readonly notifier: string }

const idOf = ({ notifier: id }: OfNotifier) =>
  Effect.as(Id.check(id, "a notifier: lazaret notifications list shows the ids"), id)

const example = "0b6f3d0e-7d0a-4a53-9a39-5f0f4d1c2b3a"

const remove = Command.make(
  "remove",
  ofNotifier,
  Effect.fn("lazaret.notifications.remove")(function* (given) {
    const notifier_id = yield* idOf(given)
    if (given.wide) {
      const session = yield* Session.open(given)
      yield* session.remove(null, (api) => api.deleteWideNotifier({ params: { notifier_id }, ...both }))
    } else {
      const { name, params, session } = yield* Session.ofRepository(given)
      yield* session.remove(name, (api) => api.deleteNotifier({ params: { ...params, notifier_id }, ...both }))
    }
    yield* Session.print(given, { id: given.notifier }, () => `removed: ${given.notifier}`)
  })
).pipe(
  Command.withDescription("Remove a notifier. It sends no further messages."),
  Command.withShortDescription("Remove a notifier"),
  Command.withExamples([{ command: `lazaret notifications remove ${example}`, description: "Remove a notifier" }])
)

const test = Command.make(
  "test",
  ofNotifier,
  Effect.fn("lazaret.notifications.test")(function* (given) {
    const notifier_id = yield* idOf(given)
    if (given.wide) {
      const session = yield* Session.open(given)
      yield* session.once(null, (api) => api.testWideNotifier({ params: { notifier_id }, ...both }))
    } else {
      const { name, params, session } = yield* Session.ofRepository(given)
      yield* session.once(name, (api) => api.testNotifier({ params: { ...params, notifier_id }, ...both }))
    }
    yield* Session.print(given, { id: given.notifier }, () => "the test message was accepted")
  })
).pipe(
  Command.withDescription("Send a test message now. If it is not accepted, the answer says why."),
  Command.withShortDescription("Send a test message"),
  Command.withExamples([{ command: `lazaret notifications test ${example}`, description: "See whether it works" }])
)

/** Keeps the notifiers of a repository. */
export const command: Loaded<"notifications"> = Command.make("notifications").pipe(
  Command.withDescription(
    "Notify people of the events of a repository, or of several, in Slack, in Microsoft Teams and by e-mail. These commands need an admin key."
  ),
  Command.withShortDescription("Notify people of events"),
  Command.withSubcommands([add, list, remove, test])
)
