/**
 * The sources of settings: the environment, then the configuration file; a secret also from a file of its own. Unknown
 * names are faults.
 */
import { Spelling } from "@lazaret/domain"
import { ConfigProvider, Effect, FileSystem, Result } from "effect"
import * as ConfigFile from "./ConfigFile.ts"
import * as Setting from "./Setting.ts"
import * as Table from "./Table.ts"

/**
 * The sources of settings.
 *
 * **Details**
 *
 * - `find`: the text of a setting and its place; null when it is not set, or set to nothing.
 * - `provider`: the same texts for `Config`.
 * - `faults`: what is wrong with the configuration file, and the unknown names in both sources.
 */
export interface Sources {
  readonly find: (name: string) => Effect.Effect<ConfigFile.Entry | null, ConfigProvider.SourceError>
  readonly provider: ConfigProvider.ConfigProvider
  readonly faults: ReadonlyArray<string>
}

/** The environment, then the configuration file at a path; without a path, the one that `LAZARET_CONFIG_FILE` names. */
export const open = Effect.fnUntraced(function* (configFile: string | null) {
  const environment = inEnvironment(yield* ConfigProvider.ConfigProvider)
  const path = configFile ?? (yield* environment(Table.fileVariable))?.value
  const { entries, faults } = path === undefined ? empty : yield* fileAt(path)
  const files = yield* FileSystem.FileSystem
  const find: Sources["find"] = Effect.fnUntraced(function* (name) {
    return (yield* entryOf(name, environment, files)) ?? (yield* entryOf(name, inFile(entries), files))
  })
  const provider = ConfigProvider.make((segments) =>
    Effect.map(find(segments.join("_")), (entry) =>
      entry === null ? undefined : ConfigProvider.makeValue(entry.value)
    )
  )
  return {
    find,
    provider,
    faults: [...faults, ...(yield* unknownVariables), ...unknownEntries(entries)]
  } satisfies Sources
})

type Lookup = (name: string) => Effect.Effect<ConfigFile.Entry | null, ConfigProvider.SourceError>

const inEnvironment =
  (provider: ConfigProvider.ConfigProvider): Lookup =>
  (name) =>
    Effect.map(provider.load([name]), (node) => present({ value: node?.value ?? "", place: "" }))

const inFile =
  (entries: ConfigFile.ConfigFile["entries"]): Lookup =>
  (name) =>
    Effect.succeed(present(entries.get(name) ?? { value: "", place: "" }))

const present = (entry: ConfigFile.Entry): ConfigFile.Entry | null => (entry.value.trim() === "" ? null : entry)

const empty: ConfigFile.ConfigFile = { entries: new Map(), faults: [] }

const fileAt = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path)).pipe(
    Effect.match({
      onSuccess: (content) => ConfigFile.parse(path, content),
      onFailure: ({ reason }) => ({
        ...empty,
        faults: [`The configuration file ${path} cannot be read (${reason._tag}).`]
      })
    })
  )

const settings: ReadonlyArray<Setting.Setting<unknown>> = Object.values(Table.table)

const secrets = new Set(settings.filter(({ isSecret }) => isSecret).map(({ name }) => name))

/** The text of a setting in one source, where only one of a secret and the file that holds it may be set. */
const entryOf = Effect.fnUntraced(function* (name: string, lookup: Lookup, files: FileSystem.FileSystem) {
  const entry = yield* lookup(name)
  const variable = Setting.fileVariable(name)
  const holder = secrets.has(name) ? yield* lookup(variable) : null
  if (holder === null) return entry
  if (entry !== null) return yield* fault(`Both ${name} and ${variable} are set: remove one of them.`)
  const content = yield* Effect.result(files.readFileString(holder.value))
  if (Result.isFailure(content)) {
    return yield* fault(`${variable} is "${holder.value}", which cannot be read (${content.failure.reason._tag}).`)
  }
  // Editors and `echo` end a file with a line break, which is not a part of the secret.
  const value = content.success.replace(/\r?\n$/u, "")
  return value === ""
    ? yield* fault(`${variable} is "${holder.value}", which is empty.`)
    : { value, place: holder.value }
})

const fault = (message: string) => new ConfigProvider.SourceError({ message })

const known = new Set([...settings.map(({ name }) => name), ...[...secrets].map(Setting.fileVariable)])

const unknownVariables = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const faults: Array<string> = []
  for (const name of yield* namesBelow(provider, ["LAZARET"])) {
    if (known.has(name) || name === Table.fileVariable || Table.others.includes(name)) continue
    const isOfKubernetes = serviceVariable.test(name) || /^\w+:\/\//u.test((yield* provider.load([name]))?.value ?? "")
    if (!isOfKubernetes) faults.push(unknownName(`The variable ${name}`, name))
  }
  return faults.toSorted()
})

/** The names of the variables that begin with some words. A provider lists the next words, not the names. */
const namesBelow = (
  provider: ConfigProvider.ConfigProvider,
  words: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, ConfigProvider.SourceError> =>
  Effect.gen(function* () {
    const node = yield* provider.load(words)
    if (node === undefined) return []
    const below = yield* Effect.forEach(wordsOf(node), (word) => namesBelow(provider, [...words, word]))
    return [...(node.value === undefined ? [] : [words.join("_")]), ...below.flat()]
  })

/** Variables that differ in a number alone, such as `LAZARET_0`, are a list to a provider. */
const wordsOf = (node: ConfigProvider.Node): ReadonlyArray<string> => {
  if (node._tag === "Array") return Array.from({ length: node.length }, (_, index) => String(index))
  return node._tag === "Record" ? [...node.keys] : []
}

/** Kubernetes sets variables about services for every container: `LAZARET_PORT=tcp://…` for one named `lazaret`. */
const serviceVariable = /^LAZARET_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/u

const unknownEntries = (entries: ConfigFile.ConfigFile["entries"]): ReadonlyArray<string> =>
  [...entries].filter(([name]) => !known.has(name)).map(([name, { place }]) => unknownName(`${place}: ${name}`, name))

const unknownName = (subject: string, name: string): string => {
  const closest = Spelling.closest(name, [...known])
  const advice =
    closest === null ? "remove it, or choose one that `lazaret serve --help` lists." : `did you mean ${closest}?`
  return `${subject} is not a setting of Lazaret: ${advice}`
}
