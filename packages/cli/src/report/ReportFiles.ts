/** The reports that arguments name: files, patterns, folders, and the standard input. */
import { ReadFormat } from "@lazaret/ingest"
import { Effect, FileSystem, Option, Path } from "effect"
import { glob } from "tinyglobby"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import { plain } from "../terminal/Terminal.ts"

/**
 * A report to read.
 *
 * **Details**
 *
 * - `path`: `-` is the standard input.
 * - `isFound`: whether it was found in a folder or by a pattern; false when an argument names it.
 * - `isSearched`: whether the argument did not name its folder either: it was found below the current folder.
 */
export interface Found {
  readonly path: string
  readonly isFound: boolean
  readonly isSearched: boolean
}

/**
 * The reports of arguments, each once, in the order of the arguments; those of a folder or a pattern sorted by path.
 *
 * **Details**
 *
 * A folder stands for the files in it and below it with the endings of `ReadFormat.endings`, packed with gzip or not. A
 * pattern (`*`, `**`, `?`, `[…]`, `{…}`) is expanded when no file has its name, so that quoted patterns work in every
 * shell.
 */
export const find = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const path = yield* Path.Path
  const all = new Map<string, Found>()
  for (const each of yield* Effect.forEach(args, ofArgument)) {
    for (const one of each) {
      const key = one.path === "-" ? "-" : path.resolve(one.path)
      if (!all.has(key)) all.set(key, one)
    }
  }
  return [...all.values()]
})

const named = (path: string): Found => ({ path, isFound: false, isSearched: false })

const found = (path: string): Found => ({ path, isFound: true, isSearched: false })

const isReportName = (path: string): boolean =>
  new RegExp(String.raw`\.(?:${ReadFormat.endings.join("|")})(?:\.gz)?$`, "i").test(path)

const ofArgument = Effect.fnUntraced(function* (arg: string) {
  if (arg === "-") return [named(arg)]
  const files = yield* FileSystem.FileSystem
  const stat = yield* Effect.option(files.stat(arg))
  if (Option.isSome(stat)) return stat.value.type === "Directory" ? yield* inFolder(arg) : [named(arg)]
  const hasPattern = /[*?[\]{}]/.test(arg)
  const matches = hasPattern ? yield* matching(arg) : []
  if (matches.length > 0) return matches
  return yield* CommandFailure.usage(
    hasPattern
      ? `No file matches ${plain(arg)}: check the pattern, and that the tests wrote their reports.`
      : `There is no file ${plain(arg)}: check the path, and that the tests wrote the report.`
  )
})

/**
 * Every report in folders and of patterns that exists now, each once; an empty list does not fail.
 *
 * **Details**
 *
 * Without a place, the current folder is searched. `node_modules` and folders whose names begin with a dot are not.
 */
export const findAll = Effect.fnUntraced(function* (places: ReadonlyArray<string>) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const all = new Map<string, Found>()
  const isSearched = places.length === 0
  for (const place of isSearched ? ["."] : places) {
    const stat = yield* Effect.option(files.stat(place))
    const isFolder = Option.isSome(stat) && stat.value.type === "Directory"
    for (const entry of yield* isFolder ? expanded("**/*", place) : expanded(place, ".")) {
      const whole = isFolder ? path.join(place, entry) : entry
      if (!isReportName(whole)) continue
      all.set(path.resolve(whole), { path: whole, isFound: true, isSearched })
    }
  }
  return [...all.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
})

/** The time and the size of each file: another stamp means another content. */
export const stamps = Effect.fnUntraced(function* (all: ReadonlyArray<Found>) {
  const files = yield* FileSystem.FileSystem
  const stamp = new Map<string, string>()
  for (const { path } of all) {
    const stat = yield* Effect.option(files.stat(path))
    if (Option.isNone(stat)) continue
    const { ino, mtime, size } = stat.value
    const at = Option.map(mtime, (time) => time.getTime())
    stamp.set(path, [Option.getOrElse(at, () => 0), size, Option.getOrElse(ino, () => 0)].join(" "))
  }
  return stamp
})

const inFolder = Effect.fnUntraced(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const entries = yield* Effect.mapError(files.readDirectory(folder, { recursive: true }), ({ reason }) =>
    CommandFailure.usage(`${plain(folder)} cannot be read (${reason._tag}).`)
  )
  const own = entries.filter((entry) => !/(?:^|[\\/])(?:node_modules|\.git)(?:[\\/]|$)/.test(entry))
  const reports = yield* Effect.filter(own.filter(isReportName), (entry) => isFile(path.join(folder, entry)))
  if (reports.length > 0) return reports.toSorted().map((entry) => found(path.join(folder, entry)))
  return yield* CommandFailure.usage(
    `There is no report in the folder ${plain(folder)} (${ReadFormat.endings.map((each) => `*.${each}`).join(", ")}): ` +
      `${own.length === 0 ? "it is empty" : `it holds ${some(own)}`}. Check where the tests write their reports.`
  )
})

/** The first few of some names. */
const some = (entries: ReadonlyArray<string>): string => {
  const shown = entries.toSorted().slice(0, 5).map(plain).join(", ")
  return entries.length > 5 ? `${shown} and ${entries.length - 5} more` : shown
}

/** Whether a path is a regular file: reading a pipe would wait for ever, and a folder can have the name of a report. */
const isFile = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const stat = yield* Effect.option(files.stat(path))
  return Option.isSome(stat) && stat.value.type === "File"
})

const matching = (pattern: string) => Effect.map(expanded(pattern, "."), (all) => all.toSorted().map(found))

/**
 * The regular files that match a pattern, relative to a folder unless the pattern is absolute.
 *
 * **Details**
 *
 * A part of a pattern matches no name that begins with a dot unless it begins with one; `node_modules` and links to folders
 * are not searched.
 */
const expanded = Effect.fnUntraced(function* (pattern: string, cwd: string) {
  const { isAbsolute } = yield* Path.Path
  return yield* Effect.tryPromise({
    try: () =>
      glob(pattern, {
        cwd,
        absolute: isAbsolute(pattern),
        expandDirectories: false,
        followSymbolicLinks: false,
        ignore: "**/node_modules/**"
      }),
    catch: () => unexpandable(pattern)
  })
})

const unexpandable = (pattern: string): CommandFailure.CommandFailure =>
  CommandFailure.usage(`The pattern ${plain(pattern)} cannot be expanded: name the files.`)
