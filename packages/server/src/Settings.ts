/**
 * The settings of the server, from the environment and a configuration file.
 *
 * What settings there are is declared in one place, `settings/Table.ts`.
 */
import { CommandFailure } from "@lazaret/cli"
import { Effect, Option, type Redacted, Result } from "effect"
import type { Setting } from "./settings/Setting.ts"
import * as Sources from "./settings/Sources.ts"
import * as Table from "./settings/Table.ts"
import type * as Storage from "./Storage.ts"

/** What the server is told: each setting of the table, and the storage that those about it mean together. */
export interface Settings extends Omit<Table.Values, "store" | "databaseUrl" | Secret> {
  readonly storage: Storage.Storage
  readonly adminKey: Option.Option<Redacted.Redacted>
  readonly gitHubWebhookSecret: Option.Option<Redacted.Redacted>
}

type Secret = "adminKey" | "gitHubWebhookSecret"

/**
 * The settings that hold; faults are one failure that names each setting and says what to do. What is set to nothing
 * counts as not set.
 *
 * **Details**
 *
 * The environment wins over the configuration file: the one that is named, else the one of `LAZARET_CONFIG_FILE`, else
 * none. A setting that nobody knows is a fault in both.
 */
export const load = Effect.fnUntraced(function* (configFile: Option.Option<string>) {
  const sources = yield* Sources.read(Option.getOrNull(configFile))
  const [values, faults] = valuesOf(sources.texts)
  const storage = storageOf(values)
  const all = [
    ...sources.faults,
    ...faults,
    ...(Result.isFailure(storage) && faults.length === 0 ? [storage.failure] : [])
  ]
  if (all.length > 0 || Result.isFailure(storage)) return yield* CommandFailure.setup(told(all))
  return of(values, storage.success)
})

/** The settings where nothing is set. */
export const defaults: Settings = of(valuesOf(new Map())[0], {
  _tag: "Embedded",
  folder: Table.table.dataFolder.absent
})

function of({ databaseUrl: _url, store: _store, ...values }: Table.Values, storage: Storage.Storage): Settings {
  return {
    ...values,
    storage,
    adminKey: Option.fromNullOr(values.adminKey),
    gitHubWebhookSecret: Option.fromNullOr(values.gitHubWebhookSecret)
  }
}

function valuesOf(texts: Sources.Sources["texts"]): readonly [Table.Values, ReadonlyArray<string>] {
  const faults: Array<string> = []
  const values: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries<Setting<unknown>>(Table.table)) {
    const entry = texts.get(setting.name)
    const value = entry === undefined ? Result.succeed(setting.absent) : setting.kind.read(entry.value)
    values[key] = Result.getOrElse(value, () => setting.absent)
    if (entry !== undefined && Result.isFailure(value)) faults.push(faultOf(setting, entry, value.failure))
  }
  // Each key of the table has the value that its setting reads, or the one that it has when absent.
  return [values as Table.Values, faults]
}

const faultOf = ({ kind, name }: Setting<unknown>, entry: { value: string; place: string }, advice: string): string => {
  const place = entry.place === "" ? "" : `${entry.place}: `
  return `${place}${name} ${kind.isSecret ? "cannot be used" : `is "${entry.value}"`}: ${advice}.`
}

function storageOf({ dataFolder, databaseUrl, store }: Table.Values): Result.Result<Storage.Storage, string> {
  switch (store ?? (databaseUrl === null ? "embedded" : "postgres")) {
    case "memory":
      return Result.succeed({ _tag: "Memory" })
    case "embedded":
      return Result.succeed({ _tag: "Embedded", folder: dataFolder })
    case "postgres":
      return databaseUrl === null
        ? Result.fail(
            "LAZARET_STORE is postgres, but DATABASE_URL is not set: " +
              "set it to one such as postgres://user:password@host:5432/lazaret."
          )
        : Result.succeed({ _tag: "Postgres", url: databaseUrl })
  }
}

/** One fault is one line; several are listed. */
const told = (faults: ReadonlyArray<string>): string =>
  faults.length === 1
    ? faults.join("")
    : `${faults.length} settings are wrong:\n${faults.map((each) => `  - ${each}`).join("\n")}`
