/** Queue configurations: YAML documents that list queue rules (interface 4.2.1) and say how the queue acts. */
import { Result, Schema } from "effect"
import { isMap, isScalar, isSeq } from "yaml"
import { entriesOf, keyOf, mostKeys, type Reader, refuse } from "./ConfigurationReader.ts"
import * as DriveRule from "./engine/DriveRule.ts"
import * as EngineSettings from "./engine/EngineSettings.ts"
import * as QueueDuration from "./QueueDuration.ts"
import * as QueueRule from "./QueueRule.ts"
import { Text } from "@lazaret/domain"
import * as YamlDocument from "./YamlDocument.ts"

/**
 * The limits of a document: 65,536 characters, 100 rules, 50 keys in one rule. A hundred times what real ones need, and
 * small enough that reading one never holds up a server.
 */
export const limits = { characters: 65_536, rules: 100, keys: mostKeys } as const

/**
 * A fault of a document, and its place: `path` such as `queue_rules[0].batch_size`, `document` for the whole; `line`
 * counted from 1.
 */
export type Fault = YamlDocument.Fault

/**
 * The rules of a document in processing order, or everything that is wrong with it, in the order of the lines.
 *
 * **Details**
 *
 * The document is a map with the key `queue_rules`, and the map `merge_queue`. `queue_rules` is a list of maps, each with a `name` and any of the keys in
 * `QueueRule.settings`; durations are text (`QueueDuration`). An empty document, and one without rules, give no rules.
 * Unknown keys, keys written twice and names used twice are refused. Anchors and aliases are followed, up to 50.
 *
 * @example
 * ```ts
 * import { QueueConfiguration } from "@lazaret/queue"
 * import { Result } from "effect"
 *
 * const rules = QueueConfiguration.parse("queue_rules:\n  - name: default\n    checks_timeout: 1h 30m")
 * Result.map(rules, ([rule]) => rule?.config.checksTimeout) // => Result.succeed(5400)
 *
 * const wrong = QueueConfiguration.parse("queue_rules:\n  - name: default\n    batchsize: 5")
 * Result.flip(wrong) // => Result.succeed([{ path: "queue_rules[0].batchsize", line: 3, message: "is not a known key; did you mean batch_size?" }])
 * ```
 */
export const parse = (text: string): Result.Result<ReadonlyArray<QueueRule.QueueRule>, ReadonlyArray<Fault>> =>
  Result.map(parseAll(text), ({ rules }) => rules)

/** A document: the rules in processing order, and how the queue acts. */
export interface QueueConfiguration {
  readonly rules: ReadonlyArray<QueueRule.QueueRule>
  readonly engine: EngineSettings.EngineSettings
}

/** The content of a document with the map `merge_queue` (`EngineSettings`), or everything that is wrong with it. */
export const parseAll = (text: string): Result.Result<QueueConfiguration, ReadonlyArray<Fault>> =>
  Result.flatMap(YamlDocument.read(text, limits.characters), (document) => {
    const reader: Reader = { document, faults: [] }
    const { engine, rules } = readRoot(reader)
    return reader.faults.length === 0
      ? Result.succeed({ rules: QueueRule.prioritize(rules), engine })
      : Result.fail(reader.faults.toSorted((a, b) => a.line - b.line))
  })

interface WrittenRule {
  readonly name: string
  readonly settings: Partial<QueueRule.Settings>
}

type SettingName = keyof QueueRule.Settings

// keyof of a record that lists every setting
const settingNames = Object.keys(QueueRule.settings) as ReadonlyArray<SettingName>

const durations: ReadonlySet<string> = new Set<SettingName>(["batchMaxWaitTime", "checksTimeout"])

const keys: ReadonlyMap<string, SettingName> = new Map(settingNames.map((name) => [keyOf(name), name]))

const expectations: Readonly<Record<SettingName, string>> = {
  batchSize: "a whole number from 1 to 128",
  batchMaxWaitTime: "a duration of at most 7 days",
  batchMaxFailureResolutionAttempts: "a whole number from 0 to 128, or null",
  allowInplaceChecks: "true or false",
  allowQueueBranchEdit: "true or false",
  checksTimeout: "a duration from 1 minute to 7 days, or null",
  commitMessageTemplate: "text of at most 10000 characters, or null",
  draftBotAccount: "the name of an account (1 to 255 characters), or null",
  mergeBotAccount: "the name of an account (1 to 255 characters), or null",
  mergeMethod: "merge, squash, rebase or fast-forward",
  queueBranchMergeMethod: "fast-forward or null",
  queueBranchPrefix: "text of 1 to 200 characters",
  updateBotAccount: "the name of an account (1 to 255 characters), or null",
  updateMethod: "merge or rebase"
}

const readRoot = (reader: Reader) => {
  const root = YamlDocument.resolve(reader.document, reader.document.root)
  if (YamlDocument.isNull(root)) return { rules: [], engine: EngineSettings.defaults }
  if (!isMap(root)) {
    refuse(reader, "document", root, "must be a map with the key queue_rules")
    return { rules: [], engine: EngineSettings.defaults }
  }
  const entries = entriesOf(reader, root, "", ["queue_rules", "merge_queue"])
  const list = entries.get("queue_rules")
  const engine = EngineSettings.read(reader, entries.get("merge_queue"))
  const isDriven = engine.mode === "drive"
  const rules = list === undefined || YamlDocument.isNull(list) ? [] : readList(reader, list, isDriven)
  if (engine.skipIntermediate && isDriven && (rules.length === 0 || !rules.every(isPushing))) {
    const message =
      "needs queue_branch_merge_method: fast-forward in every rule: one by one, what was skipped is tested by nobody"
    refuse(reader, "merge_queue.skip_intermediate", entries.get("merge_queue"), message)
  }
  return { rules, engine }
}

/** Whether what was tested is pushed as it is. */
const isPushing = ({ settings: { mergeMethod, queueBranchMergeMethod } }: WrittenRule): boolean =>
  mergeMethod === "fast-forward" || queueBranchMergeMethod === "fast-forward"

const readList = (reader: Reader, list: unknown, isDriven: boolean): ReadonlyArray<WrittenRule> => {
  if (!isSeq(list)) {
    refuse(reader, "queue_rules", list, "must be a list of rules")
    return []
  }
  if (list.items.length > limits.rules) {
    refuse(reader, "queue_rules", list, `has ${list.items.length} rules; at most ${limits.rules} are accepted`)
    return []
  }
  const names = new Map<string, number>()
  return list.items.flatMap((item, index) => {
    const rule = readRule(reader, item, { index, isDriven })
    if (rule === null) return []
    const first = names.get(rule.name)
    if (first === undefined) names.set(rule.name, index)
    else refuse(reader, `queue_rules[${index}].name`, item, `is also the name of queue_rules[${first}]`)
    return [rule]
  })
}

interface Written {
  readonly index: number
  readonly isDriven: boolean
}

const readRule = (reader: Reader, item: unknown, { index, isDriven }: Written): WrittenRule | null => {
  const path = `queue_rules[${index}]`
  const map = YamlDocument.resolve(reader.document, item)
  if (!isMap(map)) {
    refuse(reader, path, item, "must be a map with a name")
    return null
  }
  const entries = entriesOf(reader, map, `${path}.`, ["name", ...keys.keys()])
  const name = readName(reader, `${path}.name`, entries.get("name") ?? map)
  const settings = [...keys].flatMap(([key, setting]) => {
    const node = entries.get(key)
    return node === undefined ? [] : readSetting(reader, `${path}.${key}`, setting, node)
  })
  // every entry pairs a setting's name with a value that its own schema has accepted
  const given = Object.fromEntries(settings) as Partial<QueueRule.Settings>
  for (const { message, setting } of isDriven ? DriveRule.faults(given) : []) {
    refuse(reader, `${path}.${keyOf(setting)}`, entries.get(keyOf(setting)) ?? map, message)
  }
  return name === null ? null : { name, settings: given }
}

const isName = Schema.is(Text.between(1, 255))

const readName = (reader: Reader, path: string, node: unknown): string | null => {
  if (isMap(node)) refuse(reader, path, node, "is missing: every rule needs a name")
  else if (isScalar(node) && isName(node.value)) return node.value
  else refuse(reader, path, node, "must be text of 1 to 255 characters (put numbers in quotes)")
  return null
}

const readSetting = (
  reader: Reader,
  path: string,
  setting: SettingName,
  node: unknown
): ReadonlyArray<readonly [SettingName, unknown]> => {
  const written = isScalar(node) ? node.value : undefined
  const value = durations.has(setting) ? readDuration(written) : Result.succeed(written)
  if (Result.isFailure(value)) refuse(reader, path, node, value.failure)
  else if (Schema.is(QueueRule.settings[setting])(value.success)) return [[setting, value.success]]
  else refuse(reader, path, node, `must be ${expectations[setting]}`)
  return []
}

const readDuration = (written: unknown): Result.Result<unknown, string> =>
  typeof written === "string" || typeof written === "number"
    ? QueueDuration.parse(String(written))
    : Result.succeed(written)
