/** Settings of the engine: the map `merge_queue` of the configuration file. */
import { Result, Schema, Struct } from "effect"
import { isMap, isScalar, isSeq } from "yaml"
import { entriesOf, keyOf, type Reader, refuse } from "../ConfigurationReader.ts"
import { Glob } from "@lazaret/domain"
import * as QueueDuration from "../QueueDuration.ts"
import * as QueuePriority from "../QueuePriority.ts"
import * as YamlDocument from "../YamlDocument.ts"
import * as EngineConfiguration from "./EngineConfiguration.ts"
import { Text } from "@lazaret/domain"
import { Instant } from "@lazaret/domain"
import type { QueueRule } from "../QueueRule.ts"

/**
 * How the queue of a repository acts.
 *
 * **Details**
 *
 * - `branches`: patterns of base branches that have an engine; null: the default branch alone.
 * - `queueWhen`: the ways in which people ask for a pull request at the platform. `label`: the label that asks for one.
 * - `shadow` is true unless it is switched off: a gate, and a queue that is driven, start by showing what they would do.
 * - All else as in `EngineConfiguration`.
 */
export interface EngineSettings extends Pick<
  EngineConfiguration.EngineConfiguration,
  | "acceptSkipped"
  | "blockingLabels"
  | "cancelReused"
  | "comments"
  | "freezes"
  | "incident"
  | "inferCulprit"
  | "maxOvertakes"
  | "maxParallelChecks"
  | "mode"
  | "preempt"
  | "requiredChecks"
  | "rerun"
  | "responseTimeout"
  | "shadow"
  | "skipIntermediate"
> {
  /** `FailureClass.Policy.missingAfter`. */
  readonly missingAfter: number
  readonly branches: ReadonlyArray<string> | null
  readonly queueWhen: ReadonlyArray<"command" | "label">
  readonly label: string
}

/** The settings of a file without the map. */
export const defaults: EngineSettings = {
  mode: "mirror",
  shadow: true,
  branches: null,
  queueWhen: ["command"],
  label: "queue",
  acceptSkipped: EngineConfiguration.defaults.acceptSkipped,
  blockingLabels: EngineConfiguration.defaults.blockingLabels,
  cancelReused: EngineConfiguration.defaults.cancelReused,
  comments: EngineConfiguration.defaults.comments,
  freezes: EngineConfiguration.defaults.freezes,
  incident: EngineConfiguration.defaults.incident,
  inferCulprit: EngineConfiguration.defaults.inferCulprit,
  maxOvertakes: EngineConfiguration.defaults.maxOvertakes,
  preempt: EngineConfiguration.defaults.preempt,
  skipIntermediate: EngineConfiguration.defaults.skipIntermediate,
  maxParallelChecks: EngineConfiguration.defaults.maxParallelChecks,
  missingAfter: EngineConfiguration.defaults.failures.missingAfter,
  requiredChecks: EngineConfiguration.defaults.requiredChecks,
  rerun: EngineConfiguration.defaults.rerun,
  responseTimeout: EngineConfiguration.defaults.responseTimeout
}

/** Whether a base branch has an engine. */
export const concerns = ({ branches }: EngineSettings, branch: string, defaultBranch: string): boolean =>
  branches === null ? branch === defaultBranch : branches.some((pattern) => Glob.compile(pattern)(branch))

/** The configuration of the engine of a base branch. */
export const configurationOf = (
  settings: EngineSettings,
  rules: ReadonlyArray<QueueRule>,
  branch: string
): EngineConfiguration.EngineConfiguration => ({
  ...EngineConfiguration.defaults,
  ...Struct.omit(settings, ["branches", "queueWhen", "label", "missingAfter"]),
  failures: { ...EngineConfiguration.defaults.failures, missingAfter: settings.missingAfter },
  rules,
  branch
})

/** A key: what its value must be, for people, and how it is read; undefined for any other value. */
interface Key<A> {
  readonly expected: string
  readonly read: (node: unknown, reader: Reader) => A | undefined
}

const scalar = <A>(expected: string, schema: Schema.Codec<A, unknown>): Key<A> => {
  const is = Schema.is(schema)
  return {
    expected,
    read: (node) => {
      const value: unknown = isScalar(node) ? node.value : undefined
      return is(value) ? value : undefined
    }
  }
}

const whole = (minimum: number, maximum: number): Key<number> =>
  scalar(`a whole number from ${minimum} to ${maximum}`, Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const duration = (longest: number, expected: string): Key<number> => ({
  expected,
  read: (node) => {
    const value: unknown = isScalar(node) ? node.value : undefined
    const parsed = typeof value === "string" ? QueueDuration.parse(value) : null
    if (parsed === null || Result.isFailure(parsed)) return undefined
    const length = parsed.success * Instant.second
    return length >= Instant.minute && length <= longest ? length : undefined
  }
})

const isName = Schema.is(Text.between(1, 255))

const names = (what: string): Key<ReadonlyArray<string>> => ({
  expected: `a list of at most 100 ${what} (1 to 255 characters each)`,
  read: (node, { document }) => {
    if (!isSeq(node) || node.items.length > 100) return undefined
    const values = node.items.map((item) => {
      const resolved = YamlDocument.resolve(document, item)
      const value: unknown = isScalar(resolved) ? resolved.value : undefined
      return isName(value) ? value : null
    })
    return values.includes(null) ? undefined : values.filter((value) => value !== null)
  }
})

const isWay = Schema.is(Schema.Literals(["command", "label"]))

const ways: Key<EngineSettings["queueWhen"]> = {
  expected: "a list of command and label",
  read: (node, reader) => {
    const values = names("ways").read(node, reader)
    return values?.every(isWay) === true ? values.filter(isWay) : undefined
  }
}

const flag = scalar("true or false", Schema.Boolean)

const rerun: { readonly [Name in keyof EngineSettings["rerun"]]: Key<number> } = {
  perRound: whole(0, 10),
  perPullRequest: whole(0, 20),
  shareOfRounds: scalar("a number from 0 to 1", Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })))
}

const incident: { readonly [Name in keyof EngineSettings["incident"]]: Key<EngineSettings["incident"][Name]> } = {
  rounds: whole(2, 20),
  within: duration(Instant.day, "a duration from 1 minute to 1 day"),
  longest: duration(Instant.day, "a duration from 1 minute to 1 day"),
  action: scalar("hold, pause or none", Schema.Literals(["hold", "pause", "none"]))
}

const fields = {
  mode: scalar("off, mirror, gate or drive", Schema.Literals(["off", "mirror", "gate", "drive"])),
  shadow: flag,
  branches: names("patterns of branches"),
  queueWhen: ways,
  label: scalar("the name of a label (1 to 50 characters)", Text.between(1, 50)),
  requiredChecks: names("names of checks"),
  acceptSkipped: flag,
  blockingLabels: names("names of labels"),
  cancelReused: flag,
  comments: scalar("off or outcomes", Schema.Literals(["off", "outcomes"])),
  missingAfter: duration(6 * Instant.hour, "a duration from 1 minute to 6 hours"),
  responseTimeout: duration(6 * Instant.hour, "a duration from 1 minute to 6 hours"),
  inferCulprit: scalar("never, judged_real or always", Schema.Literals(["never", "judged_real", "always"])),
  maxOvertakes: whole(0, 10_000),
  preempt: flag,
  skipIntermediate: flag,
  maxParallelChecks: whole(1, 32)
}

const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/u

const instant: Key<Instant.Instant> = {
  expected: "an instant such as 2026-12-24T18:00:00Z",
  read: (node) => {
    const text: unknown = isScalar(node) ? node.value : undefined
    const at = typeof text === "string" && instantForm.test(text) ? Date.parse(text) : -1
    return at >= 0 ? at : undefined
  }
}

const freeze: Fields<EngineConfiguration.Freeze> = {
  from: instant,
  to: instant,
  reason: scalar("a text of 1 to 255 characters", Text.between(1, 255)),
  exceptPriority: {
    expected: "a whole number, low, medium or high",
    read: (node) => (isScalar(node) ? (QueuePriority.parse(String(node.value)) ?? undefined) : undefined)
  }
}

/** The keys that act in one mode alone. */
const onlyIn: ReadonlyArray<readonly [keyof typeof fields | "freezes", EngineSettings["mode"]]> = [
  ["blockingLabels", "drive"],
  ["freezes", "drive"],
  ["inferCulprit", "drive"],
  ["maxOvertakes", "drive"],
  ["maxParallelChecks", "drive"],
  ["preempt", "drive"],
  ["skipIntermediate", "drive"],
  ["responseTimeout", "gate"]
]

type Fields<Values> = { readonly [Name in keyof Values]: Key<Values[Name]> }

/** The values of the fields that a map has; every other key, and every value that is not as expected, is a fault. */
const readMap = <Values extends object>(
  reader: Reader,
  { node, path }: { readonly node: unknown; readonly path: string },
  known: Fields<Values>,
  more: ReadonlyArray<string> = []
): { readonly values: Partial<Values>; readonly entries: ReadonlyMap<string, unknown> } => {
  if (node === undefined || YamlDocument.isNull(node)) return { values: {}, entries: new Map() }
  if (!isMap(node)) {
    refuse(reader, path, node, "must be a map")
    return { values: {}, entries: new Map() }
  }
  const fieldNames = Struct.keys(known)
  const entries = entriesOf(reader, node, `${path}.`, [...fieldNames.map(keyOf), ...more])
  const values: Partial<Values> = {}
  for (const name of fieldNames) {
    const given = entries.get(keyOf(name))
    if (given === undefined) continue
    const value = known[name].read(given, reader)
    if (value === undefined) refuse(reader, `${path}.${keyOf(name)}`, given, `must be ${known[name].expected}`)
    else values[name] = value
  }
  return { values, entries }
}

/** The most freezes: one for every week of a year, and some. */
const mostFreezes = 60

const readFreezes = (reader: Reader, node: unknown): EngineSettings["freezes"] => {
  const path = "merge_queue.freezes"
  if (node === undefined || YamlDocument.isNull(node)) return []
  if (!isSeq(node) || node.items.length > mostFreezes) {
    refuse(reader, path, node, `must be a list of at most ${mostFreezes} freezes`)
    return []
  }
  return node.items.flatMap((item, index) => {
    const at = { node: YamlDocument.resolve(reader.document, item), path: `${path}[${index}]` }
    const before = reader.faults.length
    const { exceptPriority = null, from, reason, to } = readMap(reader, at, freeze).values
    if (from !== undefined && to !== undefined && reason !== undefined && from < to) {
      return [{ from, to, reason, exceptPriority }]
    }
    if (reader.faults.length === before) refuse(reader, at.path, item, "needs from, a later to, and a reason")
    return []
  })
}

/** A mode that only shows a queue ignores the keys of the others, so that people may switch between modes. */
const isActing = (mode: EngineSettings["mode"]): boolean => mode === "gate" || mode === "drive"

/** The settings in the map `merge_queue`; what is wrong with them goes to the faults of the reader. */
export const read = (reader: Reader, node: unknown): EngineSettings => {
  const path = "merge_queue"
  const { entries, values } = readMap(reader, { node, path }, fields, ["rerun", "incident", "freezes"])
  const reruns = readMap(reader, { node: entries.get("rerun"), path: `${path}.rerun` }, rerun)
  const incidents = readMap(reader, { node: entries.get("incident"), path: `${path}.incident` }, incident)
  const settings = {
    ...defaults,
    ...values,
    freezes: readFreezes(reader, entries.get("freezes")),
    rerun: { ...defaults.rerun, ...reruns.values },
    incident: { ...defaults.incident, ...incidents.values }
  }
  const { mode } = settings
  if ((mode === "gate" || mode === "drive") && EngineConfiguration.requiredOf(settings).length === 0) {
    const who = mode === "gate" ? "a gate" : "a driven queue"
    refuse(reader, `${path}.required_checks`, node, `is missing: ${who} needs the names of the checks that must pass`)
  }
  for (const [name, of] of onlyIn) {
    const given = entries.get(keyOf(name))
    if (given !== undefined && mode !== of && isActing(mode)) {
      refuse(reader, `${path}.${keyOf(name)}`, given, `acts in mode ${of} alone; the mode is ${mode}`)
    }
  }
  return settings
}
