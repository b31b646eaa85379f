/**
 * The readiness of a repository at its platform: what has been seen working there, and what a person does about the rest.
 *
 * See `docs/how-to/first-hour.md`.
 */
import type { PlatformSighting } from "@lazaret/domain"
import * as CheckMatch from "./CheckMatch.ts"
import * as EngineConfiguration from "./EngineConfiguration.ts"
import type { EngineState } from "./EngineState.ts"
import type { Finding } from "./Preflight.ts"
import * as Trial from "./Trial.ts"

/**
 * One step of the connection to a platform.
 *
 * **Details**
 *
 * - `ok`: it was seen working, or the platform confirms it. `missing`: it is known to be absent. `unverified`: neither.
 * - `message`: what is known. `action`: what to do, null for nothing; `url`: the page to do it on, null without a page.
 * - `seenAt`: when it was last seen working, null where that is not recorded.
 * - `isNeeded`: a gate, or a queue that is driven, acts only when this step is `ok`.
 */
export interface Step {
  readonly name: string
  readonly state: "ok" | "missing" | "unverified"
  readonly message: string
  readonly action: string | null
  readonly url: string | null
  readonly seenAt: number | null
  readonly isNeeded: boolean
}

/** A step of a subscription to an event: the platform may list the subscription, and a delivery proves it. */
export interface EventStep extends Step {
  readonly event: string
}

/** The answer of the platform about the connection; `pages` are those where people look and change. */
export interface Setup {
  readonly steps: ReadonlyArray<Step>
  readonly events: ReadonlyArray<EventStep>
  readonly pages: { readonly deliveries: string | null; readonly rules: string | null }
}

/** The facts that readiness follows from; `gate` and `drive` are null where they are not configured. */
export interface Seen {
  readonly setup: Setup
  readonly sightings: ReadonlyArray<PlatformSighting.PlatformSighting>
  readonly gate: Gate | null
  readonly drive?: Drive | null
}

/**
 * A queue that is to be driven, and the findings about its rules; null: they could not be read. `host` is the host of the platform; null:
 * none that can be driven is connected.
 */
export interface Drive {
  readonly state: Pick<EngineState, "driveWaiver">
  readonly host: string | null
  readonly findings: ReadonlyArray<Finding> | null
}

/** A gate, and the findings about its rules; null: they could not be read. */
export interface Gate {
  readonly configuration: Pick<EngineConfiguration.EngineConfiguration, "requiredChecks" | "shadow">
  readonly state: Pick<EngineState, "matched" | "trial" | "waiver">
  readonly findings: ReadonlyArray<Finding> | null
}

/** No answer of a platform. */
export const noSetup: Setup = { steps: [], events: [], pages: { deliveries: null, rules: null } }

/** All steps, in the order in which a person takes them. */
export const steps = (seen: Seen): ReadonlyArray<Step> =>
  // Only a driven queue pushes workflows.
  seen.drive === undefined || seen.drive === null ? ofGate(seen) : ofDrive(seen, seen.drive)

/** A driven queue needs its certification, and what the rules say; the rest is shown for what also works without it. */
const ofDrive = (seen: Seen, drive: Drive): ReadonlyArray<Step> => [
  ...ofConnection({ ...seen, gate: null }).map((each) => ({ ...each, isNeeded: drivePermissions.has(each.name) })),
  certified(drive, seen.sightings),
  ...ruled(drive, seen.setup)
]

const drivePermissions: ReadonlySet<string> = new Set([
  "permission contents: write",
  "permission pull_requests: write",
  "permission workflows: write",
  // GitLab has no permissions of an app: its token has a role.
  "token"
])

const certified = ({ host, state: { driveWaiver: waiver } }: Drive, sightings: Seen["sightings"]): Step => {
  const name = "certification"
  if (waiver !== null) {
    const message = `${waiver.by} lets the queue be driven without it: ${waiver.reason}`
    return step(name, "ok", message, { seenAt: waiver.at, isNeeded: true })
  }
  if (host === null) {
    return step(name, "missing", "No platform that can be driven is connected.", {
      action: "Connect a GitHub App with the permission to push, or GitLab with a token.",
      isNeeded: true
    })
  }
  const seen = lastOf(sightings, ({ kind, name: of }) => kind === "certification" && of === host)
  return seen === undefined
    ? step(name, "missing", `${host} was not certified for this repository.`, {
        action: "Run lazaret queue certify with a scratch repository.",
        isNeeded: true
      })
    : step(name, "ok", `${host} is certified: ${seen.detail ?? "every case holds"}.`, {
        seenAt: seen.at,
        isNeeded: true
      })
}

const ofGate = (seen: Seen): ReadonlyArray<Step> =>
  ofConnection(seen).filter(({ name }) => name !== "permission workflows: write")

const ofConnection = ({ gate, setup, sightings }: Seen): ReadonlyArray<Step> => [
  ...setup.steps,
  ...changes(sightings),
  delivered(setup, sightings),
  ...setup.events.map((event) => subscribed(event, sightings)),
  written(sightings),
  rerun(sightings),
  ...(gate === null
    ? []
    : [...matched(gate), ...ruled(gate, setup), tried(gate.state)].map((step) => ({
        ...step,
        isNeeded: isOfTrial(step)
      })))
]

/** Whether a gate may leave the shadow. */
export const isReady = (all: ReadonlyArray<Step>): boolean =>
  all.every(({ isNeeded, state }) => !isNeeded || state === "ok")

/** A step. Unless `more` says otherwise it has no action, page or time, and a gate does not need it. */
export const step = (name: string, state: Step["state"], message: string, more: Partial<Step> = {}): Step => ({
  name,
  state,
  message,
  action: null,
  url: null,
  seenAt: null,
  isNeeded: false,
  ...more
})

const lastOf = (
  sightings: ReadonlyArray<PlatformSighting.PlatformSighting>,
  isMeant: (sighting: PlatformSighting.PlatformSighting) => boolean
): PlatformSighting.PlatformSighting | undefined =>
  sightings
    .filter(isMeant)
    .reduce<PlatformSighting.PlatformSighting | undefined>(
      (last, each) => (last === undefined || each.at > last.at ? each : last),
      undefined
    )

/** Changes of the repository that end the connection until a person acts. */
const changes = (sightings: ReadonlyArray<PlatformSighting.PlatformSighting>): ReadonlyArray<Step> => {
  const last = lastOf(sightings, ({ kind }) => kind === "repository")
  const found = last === undefined ? undefined : moves[last.name]
  if (last === undefined || found === undefined) return []
  return [step("repository", "missing", found.message(last.detail), { action: found.action, seenAt: last.at })]
}

const moves: Readonly<Record<string, { readonly message: (to: string | null) => string; readonly action: string }>> = {
  renamed: {
    message: (to) => `The platform renamed the repository${to === null ? "" : ` to ${to}`}.`,
    action: "Name the new repository in the jobs that upload; what is stored stays under this name."
  },
  transferred: {
    message: (to) => `The repository belongs to another owner now${to === null ? "" : `: ${to}`}.`,
    action: "Install the app for the new owner, and name the new repository in the jobs that upload."
  },
  archived: {
    message: () => "The repository is archived: it is read-only.",
    action: "Unarchive it, or remove it here."
  },
  deleted: { message: () => "The repository was deleted at the platform.", action: "Remove it here." }
}

const delivered = ({ pages }: Setup, sightings: Seen["sightings"]): Step => {
  const last = lastOf(sightings, ({ kind }) => kind === "delivery")
  return last === undefined
    ? step("delivery", "missing", "No signed delivery about this repository has arrived.", {
        action: "Compare the webhook's address and secret with those of the server, and send a delivery again.",
        url: pages.deliveries,
        isNeeded: true
      })
    : step("delivery", "ok", `The last one was ${last.name}.`, { seenAt: last.at, isNeeded: true })
}

/** A delivery proves a subscription, unless the platform says that it has ended. */
const subscribed = ({ event, ...said }: EventStep, sightings: Seen["sightings"]): Step => {
  const seen = lastOf(sightings, ({ kind, name }) => kind === "delivery" && name === event)
  if (seen !== undefined && said.state !== "missing") return { ...said, state: "ok", seenAt: seen.at }
  return said
}

const written = (sightings: Seen["sightings"]): Step => {
  const seen = lastOf(sightings, ({ kind }) => kind === "check")
  return seen === undefined
    ? step("check", "unverified", "No check was written and read back.", {
        action: "Run the command with --write.",
        isNeeded: true
      })
    : step("check", "ok", `${seen.name} was written and read back.`, { seenAt: seen.at, isNeeded: true })
}

const rerun = (sightings: Seen["sightings"]): Step => {
  const seen = lastOf(sightings, ({ kind }) => kind === "rerun")
  return seen === undefined
    ? step("rerun", "unverified", "The platform has accepted no rerun of failed jobs.", {
        action: "Press Rerun failed jobs on a report, or run the command with --rerun and a commit with failed jobs.",
        isNeeded: true
      })
    : step("rerun", "ok", "The platform accepted to run failed jobs again.", { seenAt: seen.at, isNeeded: true })
}

const matched = ({ configuration, state }: Gate): ReadonlyArray<Step> =>
  EngineConfiguration.requiredOf(configuration).map((name) => {
    const match = state.matched?.matches.find(({ check }) => check === name)
    if (match === undefined) {
      return step(`name ${name}`, "unverified", "This check was not seen together with the jobs that report tests.", {
        action: "Let a pull request or a group run to its end."
      })
    }
    return step(`name ${name}`, match.by === null ? "missing" : "ok", CheckMatch.sentence(match))
  })

const levels: Readonly<Record<Finding["level"], Step["state"]>> = {
  fine: "ok",
  warning: "unverified",
  impossible: "missing"
}

const ruled = ({ findings }: Pick<Gate, "findings">, { pages }: Setup): ReadonlyArray<Step> => {
  if (findings === null) return [step("rules", "unverified", "The rules of the branch could not be read.")]
  const others = findings.filter(({ level, rule }) => level !== "fine" || rule === "merge queue" || isOwn(rule))
  return others.map(({ level, message, rule }) =>
    step(`rule ${rule}`, levels[level], message, { url: level === "fine" ? null : pages.rules })
  )
}

const isOwn = (rule: string): boolean => rule === EngineConfiguration.ownCheck

const trialName = "trial"

/** A gate needs these steps of its own. The rules are left out: preflight keeps a gate in the shadow by them. */
const isOfTrial = ({ name }: Step): boolean => name === trialName || name.startsWith("name ")

const tried = ({ trial, waiver }: Gate["state"]): Step => {
  if (waiver !== null) {
    return step(trialName, "ok", `${waiver.by} ended it early: ${waiver.reason}`, { seenAt: waiver.at })
  }
  const mistake =
    trial.innocent === null
      ? ""
      : ` The gate would have evicted #${trial.innocent.number}, which the platform merged: the count began again.`
  const message = `The gate and the platform agreed on ${trial.groups} of ${Trial.needed} groups in a row.${mistake}`
  return trial.groups >= Trial.needed
    ? step(trialName, "ok", message)
    : step(trialName, "missing", message, { action: "Leave the gate in the shadow while groups go through the queue." })
}

/** Behaviour of platforms that no command can verify before it happens. The report lists it as unverified. */
export const assumptions: ReadonlyArray<string> = [
  "A check run that is in progress keeps the platform from merging a group, until its own timeout ends.",
  "The app may put pull requests into the queue of the platform, and take them out, with Contents: write.",
  "The platform says within ten minutes why it took a pull request out of its queue.",
  "A rerun keeps the check suite of its run, and the newest run of a check counts.",
  "The order and the delay of deliveries are like those of the simulated platform."
]
