/**
 * Where the values of the settings come from: the environment, then the configuration file; a secret also from a file of
 * its own. Names that nobody knows are faults.
 */
import { Spelling } from "@lazaret/domain"
import { Effect, FileSystem, Result } from "effect"
import * as ConfigFile from "./ConfigFile.ts"
import * as Environment from "./Environment.ts"
import * as Setting from "./Setting.ts"
import * as Table from "./Table.ts"

/** The texts that are set, by name, and what is wrong so far. */
export interface Sources {
  readonly texts: ReadonlyMap<string, ConfigFile.Entry>
  readonly faults: ReadonlyArray<string>
}

/** Reads all sources. The environment wins over the file. */
export const read = Effect.fnUntraced(function* (configFile: string | null) {
  const path = configFile ?? (yield* Environment.variable(Table.fileVariable))
  const file = path === null ? Result.succeed(empty) : yield* fileAt(path)
  const { entries, faults } = Result.getOrElse(file, (fault) => ({ ...empty, faults: [fault] }))
  const found = new Map<string, ConfigFile.Entry>()
  const unreadable: Array<string> = []
  for (const setting of settings) {
    const entry = yield* lookUp(setting, entries)
    if (Result.isFailure(entry)) unreadable.push(entry.failure)
    else if (entry.success !== null) found.set(setting.name, entry.success)
  }
  const unknown = [...(yield* unknownVariables), ...unknownEntries(entries)]
  return { texts: found, faults: [...faults, ...unknown, ...unreadable] } satisfies Sources
})

const empty: ConfigFile.ConfigFile = { entries: new Map(), faults: [] }

const settings: ReadonlyArray<Setting.Setting<unknown>> = Object.values(Table.table)

const known = new Set(
  settings.flatMap((setting) => [setting.name, Setting.fileVariable(setting)]).filter((name) => name !== null)
)

const fileAt = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path)).pipe(
    Effect.map((content) => ConfigFile.parse(path, content)),
    Effect.mapError(({ reason }) => `The configuration file ${path} cannot be read (${reason._tag}).`),
    Effect.result
  )

type Found = Result.Result<ConfigFile.Entry | null, string>

/** The environment before the file; in each of them a value and the file that holds it may not both be set. */
const lookUp = Effect.fnUntraced(function* (
  setting: Setting.Setting<unknown>,
  file: ReadonlyMap<string, ConfigFile.Entry>
) {
  const fileVariable = Setting.fileVariable(setting)
  const fromEnvironment = yield* inEnvironment(setting.name)
  const there = fileVariable === null ? null : yield* inEnvironment(fileVariable)
  const environment = yield* pick(setting.name, fromEnvironment, there)
  if (Result.isFailure(environment) || environment.success !== null) return environment
  return yield* pick(setting.name, inFile(file, setting.name), inFile(file, fileVariable ?? ""))
})

const inEnvironment = (name: string) =>
  Effect.map(Environment.variable(name), (value) => (value === null ? null : { value, place: "" }))

const inFile = (file: ReadonlyMap<string, ConfigFile.Entry>, name: string): ConfigFile.Entry | null => {
  const entry = file.get(name)
  return entry === undefined || entry.value.trim() === "" ? null : entry
}

const pick = Effect.fnUntraced(function* (name: string, value: ConfigFile.Entry | null, path: ConfigFile.Entry | null) {
  if (path === null) return Result.succeed(value) satisfies Found
  if (value !== null) return Result.fail(`Both ${name} and ${name}_FILE are set: remove one of them.`) satisfies Found
  const files = yield* FileSystem.FileSystem
  return yield* files.readFileString(path.value).pipe(
    // Editors and `echo` end a file with a line break, which is no part of a secret.
    Effect.map((content): ConfigFile.Entry => ({ value: content.replace(/\r?\n$/u, ""), place: path.value })),
    Effect.filterOrFail(
      ({ value: text }) => text !== "",
      () => `${name}_FILE is "${path.value}", which is empty.`
    ),
    Effect.mapError((error) =>
      typeof error === "string"
        ? error
        : `${name}_FILE is "${path.value}", which cannot be read (${error.reason._tag}).`
    ),
    Effect.result
  )
})

const unknownVariables = Effect.gen(function* () {
  const faults: Array<string> = []
  for (const name of yield* Environment.namesUnder("LAZARET")) {
    if (known.has(name) || name === Table.fileVariable || Table.others.includes(name)) continue
    const isOfKubernetes = serviceVariable.test(name) || /^\w+:\/\//u.test((yield* Environment.variable(name)) ?? "")
    if (!isOfKubernetes) faults.push(unknownName(`The variable ${name}`, name))
  }
  return faults
})

/** Kubernetes tells every container about services, as LAZARET_PORT=tcp://… where one has the name `lazaret`. */
const serviceVariable = /^LAZARET_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/u

const unknownEntries = (entries: ReadonlyMap<string, ConfigFile.Entry>): ReadonlyArray<string> =>
  [...entries].filter(([name]) => !known.has(name)).map(([name, { place }]) => unknownName(`${place}: ${name}`, name))

const unknownName = (subject: string, name: string): string => {
  const closest = Spelling.closest(name, [...known])
  const advice = closest === null ? "lazaret serve --help lists all; remove it." : `did you mean ${closest}?`
  return `${subject} is no setting of Lazaret: ${advice}`
}
