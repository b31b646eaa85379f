/** Changes of what is set for a repository: fields that are given replace, fields that are not stay. */
import * as CostPolicy from "../insight/CostPolicy.ts"
import * as AutoQuarantine from "../quarantine/AutoQuarantine.ts"
import * as FailureGate from "../failure/FailureGate.ts"
import * as HealthPolicy from "../health/HealthPolicy.ts"
import * as IssuePolicy from "../issue/IssuePolicy.ts"
import * as Outage from "../health/Outage.ts"
import * as Quarantine from "../quarantine/Quarantine.ts"
import { defaultSettings, type RepositorySettings } from "./Repository.ts"

/** Every policy under its name in the settings: its title for a person, and its numbers. */
export const policies = {
  health: { title: "Health", fields: HealthPolicy.fields },
  outage: { title: "Outages", fields: Outage.fields },
  quarantine: { title: "Recovery in quarantine", fields: Quarantine.fields },
  autoQuarantinePolicy: { title: "Automatic quarantine", fields: AutoQuarantine.fields },
  issuePolicy: { title: "Issues", fields: IssuePolicy.fields },
  costPolicy: { title: "Cost", fields: CostPolicy.fields }
} as const

/** The default of every policy, under its name in the settings. */
export const policyDefaults = {
  health: HealthPolicy.defaults,
  outage: Outage.defaults,
  quarantine: Quarantine.defaults,
  autoQuarantinePolicy: AutoQuarantine.defaults,
  issuePolicy: IssuePolicy.defaults,
  costPolicy: CostPolicy.defaults
} as const

/** The name of a policy in the settings. */
export type PolicyName = keyof typeof policyDefaults

/** Whether a field of the settings is a policy. */
export const isPolicy = (name: string): name is PolicyName => Object.hasOwn(policyDefaults, name)

/** A change: null, for a field, for a whole policy or for the gate, brings its default back. */
export type SettingsChange = {
  readonly [K in keyof RepositorySettings]?:
    | (K extends PolicyName
        ? { readonly [F in keyof RepositorySettings[K]]?: number | null }
        : K extends "gate"
          ? { readonly [F in keyof FailureGate.FailureGate]?: FailureGate.FailureGate[F] | null }
          : RepositorySettings[K])
    | null
}

/**
 * The settings after a change. A policy keeps only the fields that differ from its defaults.
 *
 * @example
 * ```ts
 * import { Repository, SettingsChange } from "@lazaret/domain"
 *
 * const strict = SettingsChange.apply(Repository.defaultSettings, { health: { cleanPasses: 20, cleanDays: 7 } })
 * strict.health // => { cleanPasses: 20 }
 * SettingsChange.apply(strict, { health: { cleanPasses: null } }).health // => {}
 * ```
 */
export const apply = (settings: RepositorySettings, change: SettingsChange): RepositorySettings => {
  const entries = Object.entries(change).map(([name, value]) => {
    if (name === "gate") return [name, value === null ? FailureGate.defaults : gateOf(settings.gate, entriesOf(value))]
    if (!isPolicy(name)) return [name, value ?? defaultOf(name)]
    return [name, value === null ? {} : policyOf(name, { ...settings[name], ...entriesOf(value) })]
  })
  // The names are those of the settings, and each value is one of its field: its own, its default, or the policy's.
  return { ...settings, ...(Object.fromEntries(entries) as Partial<RepositorySettings>) }
}

/**
 * Fields that contradict each other: where the fault is, and a sentence that says what to do.
 *
 * **Details**
 *
 * The thresholds of a level must not be above those of the next one. Everything else a field can say fits to the others.
 *
 * @example
 * ```ts
 * import { Repository, SettingsChange } from "@lazaret/domain"
 *
 * const settings = { ...Repository.defaultSettings, health: { impactMedium: 0.5 } }
 * SettingsChange.contradictions(settings).map(({ field }) => field) // => ["impactMedium"]
 * ```
 */
export const contradictions = (
  settings: RepositorySettings
): ReadonlyArray<{
  readonly policy: PolicyName
  readonly field: string
  readonly above: string
  readonly most: number
}> => {
  const health = { ...HealthPolicy.defaults, ...settings.health }
  return [
    { field: "confidenceMedium", above: "confidenceHigh", value: health.confidenceMedium, most: health.confidenceHigh },
    { field: "impactMedium", above: "impactHigh", value: health.impactMedium, most: health.impactHigh }
  ]
    .filter(({ most, value }) => value > most)
    .map(({ above, field, most }) => ({ policy: "health", field, above, most }))
}

const defaultOf = (name: string): unknown => Object.entries(defaultSettings).find(([key]) => key === name)?.[1]

const gateOf = (gate: FailureGate.FailureGate, change: object): object => {
  const defaults = new Map<string, unknown>(Object.entries(FailureGate.defaults))
  const fields = Object.entries(change).map(([name, value]) => [name, value ?? defaults.get(name)])
  return { ...gate, ...Object.fromEntries(fields) }
}

const entriesOf = (value: unknown): object => (typeof value === "object" && value !== null ? value : {})

const policyOf = (name: PolicyName, fields: object): object => {
  const defaults = new Map(Object.entries(policyDefaults[name]))
  return Object.fromEntries(
    Object.entries(fields).filter(([key, value]) => value !== null && value !== defaults.get(key))
  )
}
