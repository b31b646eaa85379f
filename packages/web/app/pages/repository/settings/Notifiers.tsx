/** Notifiers of a repository or of several: their channels, events and schedules, and whether each works. */
import type { Operations, Wire } from "@lazaret/api"
import { useState } from "preact/hooks"
import * as Fetch from "../../../data/Fetch.ts"
import { refresh, type Resource, useResource } from "../../../data/Resource.ts"
import * as Routes from "../../../data/Routes.ts"
import type * as Places from "../../../Places.ts"
import { Dialog } from "../../../ui/Dialog.tsx"
import { Section } from "../../../ui/Section.tsx"
import { Empty, Loaded } from "../../../ui/States.tsx"
import { Since } from "../../../ui/Time.tsx"

type Notifier = Wire.Notifier

type Body = Operations["createNotifier"]["body"]

type Answered = Promise<Fetch.Answer<unknown> | Fetch.Failure>

/** The notifiers of a repository, or of several: then each has patterns of repositories. */
interface Source {
  readonly title: string
  readonly hint: string
  readonly suggested: string | null
  readonly create: (body: Body, repositories: ReadonlyArray<string>) => Answered
  readonly test: (id: string) => Answered
  readonly remove: (id: string) => Answered
  readonly refresh: () => Promise<unknown>
}

interface Props {
  readonly source: Source
}

/** A notifier; one of several repositories names them. */
type Listed = Notifier & { readonly repositories?: ReadonlyArray<string> }

const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

const whenOf = (schedule: Notifier["schedule"]): string => {
  if (schedule.every === "at_once") return "at once"
  const day = schedule.every === "day" ? "every day" : `every ${weekdays[schedule.weekday - 1] ?? ""}`
  return `${day} at ${schedule.hour}:00 (${schedule.time_zone})`
}

type Webhook = Exclude<Notifier["channel"]["kind"], "email">

/** The chat services with incoming webhooks, the one that is suggested first. */
const webhookNames: Readonly<Record<Webhook, string>> = { slack: "Slack", teams: "Microsoft Teams" }

const targetOf = ({ channel }: Notifier): string =>
  channel.kind === "email" ? channel.to.join(", ") : `${webhookNames[channel.kind]}, ${channel.host}`

const shownTypes = [
  "job_run.outage",
  "job_run.tests_missing",
  "tests.slower",
  "test.health_changed",
  "quarantine.created",
  "quarantine.expiring",
  "quarantine.expired"
]

const Line = ({ notifier, source }: Props & { readonly notifier: Listed }) => {
  const [said, setSaid] = useState<string | null>(null)
  const test = async () => {
    const answer = await source.test(notifier.id)
    setSaid(Fetch.isFailure(answer) ? answer.detail : "The test message was accepted.")
  }
  const remove = async () => {
    const answer = await source.remove(notifier.id)
    if (Fetch.isFailure(answer)) setSaid(answer.detail)
    else await source.refresh()
  }
  return (
    <li>
      <span class="row-main">
        <span>
          <strong>{targetOf(notifier)}</strong> {whenOf(notifier.schedule)}
        </span>
        <span class="muted reason">
          {notifier.repositories === undefined ? "" : `${notifier.repositories.join(", ")}: `}
          {notifier.events.length > shownTypes.length + 5 ? "all events" : notifier.events.join(", ")}
          {notifier.owners.length === 0 ? "" : `; tests of ${notifier.owners.join(", ")}`}
        </span>
        {notifier.failure === null ? null : (
          <span class="form-failure" role="alert">
            {notifier.failure} (attempt {notifier.attempts})
          </span>
        )}
        {said === null ? null : <span role="status">{said}</span>}
      </span>
      <span class="muted">{notifier.sent_at === null ? "nothing sent yet" : <Since at={notifier.sent_at} />}</span>
      <span class="row-actions">
        <button
          type="button"
          class="button"
          aria-label={`Send a test to ${targetOf(notifier)}`}
          onClick={() => void test()}
        >
          Send a test
        </button>
        <button type="button" class="button" aria-label={`Remove ${targetOf(notifier)}`} onClick={() => void remove()}>
          Remove
        </button>
      </span>
    </li>
  )
}

interface Form {
  readonly repositories: string
  readonly kind: Webhook | "email"
  readonly target: string
  readonly owners: string
  readonly types: ReadonlyArray<string>
  readonly every: string
  readonly hour: string
  readonly timeZone: string
}

const empty = {
  kind: "slack",
  target: "",
  owners: "",
  types: shownTypes,
  every: "at_once",
  hour: "9",
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone
} as const

const wordsOf = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/u).filter((word) => word !== "")

const bodyOf = (form: Form): Body => {
  const hour = Number(form.hour)
  const time_zone = form.timeZone.trim()
  const target = form.target.trim()
  return {
    channel: form.kind === "email" ? { kind: "email", to: wordsOf(target) } : { kind: form.kind, url: target },
    // The choices are types of events.
    events: form.types as NonNullable<Body["events"]>,
    owners: wordsOf(form.owners),
    schedule:
      form.every === "at_once"
        ? { every: "at_once" }
        : form.every === "day"
          ? { every: "day", hour, time_zone }
          : { every: "week", weekday: Number(form.every), hour, time_zone }
  }
}

const AddDialog = ({ onClose, source }: Props & { readonly onClose: () => void }) => {
  const [form, setForm] = useState<Form>({ ...empty, repositories: source.suggested ?? "" })
  const set = (change: Partial<Form>) => setForm({ ...form, ...change })
  const send = async (): Promise<Fetch.Failure | null> => {
    const answer = await source.create(bodyOf(form), wordsOf(form.repositories))
    if (Fetch.isFailure(answer)) return answer
    await source.refresh()
    return null
  }
  return (
    <Dialog title="Notify people of events" action="Add" onConfirm={send} onClose={onClose}>
      <div class="field">
        <label for="notifier-kind">To</label>
        <select
          id="notifier-kind"
          value={form.kind}
          // The choices are kinds.
          onChange={(event) => set({ kind: event.currentTarget.value as Form["kind"] })}
        >
          {Object.entries(webhookNames).map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
          <option value="email">e-mail</option>
        </select>
      </div>
      <div class="field">
        <label for="notifier-target">
          {form.kind === "email" ? "E-mail addresses" : `Incoming webhook of ${webhookNames[form.kind]}`}
        </label>
        <input
          id="notifier-target"
          required
          maxLength={2000}
          autocomplete="off"
          value={form.target}
          onInput={(event) => set({ target: event.currentTarget.value })}
        />
      </div>
      {source.suggested === null ? null : (
        <div class="field">
          <label for="notifier-repositories">Repositories</label>
          <input
            id="notifier-repositories"
            required
            placeholder="such as acme/* or acme/web-*"
            value={form.repositories}
            onInput={(event) => set({ repositories: event.currentTarget.value })}
          />
        </div>
      )}
      <fieldset class="field">
        <legend>Events</legend>
        {shownTypes.map((type) => (
          <label class="check" key={type}>
            <input
              type="checkbox"
              checked={form.types.includes(type)}
              onChange={(event) =>
                set({
                  types: event.currentTarget.checked
                    ? [...form.types, type]
                    : form.types.filter((each) => each !== type)
                })
              }
            />
            {type}
          </label>
        ))}
        <p class="hint">None: all events.</p>
      </fieldset>
      <div class="field">
        <label for="notifier-owners">Only tests of these owners</label>
        <input
          id="notifier-owners"
          placeholder="all tests; else such as @acme/web"
          value={form.owners}
          onInput={(event) => set({ owners: event.currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for="notifier-every">When</label>
        <select id="notifier-every" value={form.every} onChange={(event) => set({ every: event.currentTarget.value })}>
          <option value="at_once">at once</option>
          <option value="day">every day</option>
          {weekdays.map((day, index) => (
            <option key={day} value={String(index + 1)}>
              every {day}
            </option>
          ))}
        </select>
      </div>
      {form.every === "at_once" ? null : (
        <>
          <div class="field">
            <label for="notifier-hour">Hour</label>
            <input
              id="notifier-hour"
              type="number"
              min={0}
              max={23}
              value={form.hour}
              onInput={(event) => set({ hour: event.currentTarget.value })}
            />
          </div>
          <div class="field">
            <label for="notifier-zone">Time zone</label>
            <input
              id="notifier-zone"
              value={form.timeZone}
              onInput={(event) => set({ timeZone: event.currentTarget.value })}
            />
          </div>
        </>
      )}
    </Dialog>
  )
}

interface ListProps extends Props {
  readonly found: Resource<{ readonly notifiers: ReadonlyArray<Listed> }>
}

const NotifierList = ({ found, source }: ListProps) => {
  const [isAdding, setIsAdding] = useState(false)
  return (
    <Section
      title={source.title}
      aside={
        <button type="button" class="button" onClick={() => setIsAdding(true)}>
          Notify people of events
        </button>
      }
    >
      <Loaded of={found} lines={3}>
        {({ notifiers }) =>
          notifiers.length === 0 ? (
            <Empty title="There is no notifier">{source.hint}</Empty>
          ) : (
            <ul class="rows">
              {notifiers.map((notifier) => (
                <Line key={notifier.id} notifier={notifier} source={source} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding ? <AddDialog source={source} onClose={() => setIsAdding(false)} /> : null}
    </Section>
  )
}

/** The notifiers of one repository. */
export const Notifiers = ({ repository }: { readonly repository: Places.Repository }) => {
  const source: Source = {
    title: "Notifications",
    hint: "A notifier sends events to a chat or by e-mail, at once or in a digest.",
    suggested: null,
    create: (body) => Fetch.send("POST", Routes.createNotifier(repository), body),
    test: (id) => Fetch.send("POST", Routes.testNotifier(repository, id)),
    remove: (id) => Fetch.send("DELETE", Routes.deleteNotifier(repository, id)),
    refresh: () => refresh(`${Routes.ci(repository)}/notifiers`)
  }
  return <NotifierList source={source} found={useResource(Routes.notifiers(repository))} />
}

/** The notifiers of several repositories; an admin of one owner begins with all repositories of this owner. */
export const WideNotifiers = ({ owner }: { readonly owner: string | null }) => {
  const source: Source = {
    title: "Notifications of several repositories",
    hint: "A notifier sends the events of all repositories of an owner, or of those that patterns name, in one message.",
    suggested: `${owner ?? "*"}/*`,
    create: (body, repositories) => Fetch.send("POST", Routes.createWideNotifier, { ...body, repositories }),
    test: (id) => Fetch.send("POST", Routes.testWideNotifier(id)),
    remove: (id) => Fetch.send("DELETE", Routes.deleteWideNotifier(id)),
    refresh: () => refresh(Routes.wideNotifiers)
  }
  return <NotifierList source={source} found={useResource(Routes.wideNotifiers)} />
}
