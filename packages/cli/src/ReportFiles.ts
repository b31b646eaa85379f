/** The reports that arguments name: files, patterns, folders, and the standard input. */
import { glob } from "node:fs/promises"
import { Effect, FileSystem, Option, Path, Stream } from "effect"
import * as CommandFailure from "./CommandFailure.ts"

/**
 * A report to read: where it is (`-` is the standard input), and whether it was found in a folder or by a pattern instead of
 * being named.
 */
export interface Found {
  readonly path: string
  readonly isFound: boolean
}

/**
 * The reports of arguments, each once, in the order of the arguments; those of a folder or a pattern sorted by path.
 *
 * **Details**
 *
 * A folder stands for the files in it and below it that end in `.xml`, `.json`, and each of them with `.gz`. A pattern
 * (`*`, `**`, `?`, `[…]`, `{…}`) is expanded when no file has its name, so that quoted patterns work in every shell.
 */
export const find = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const path = yield* Path.Path
  const found = new Map<string, Found>()
  for (const each of yield* Effect.forEach(args, ofArgument)) {
    for (const one of each) {
      const key = one.path === "-" ? "-" : path.resolve(one.path)
      if (!found.has(key)) found.set(key, one)
    }
  }
  return [...found.values()]
})

const ofArgument = Effect.fnUntraced(function* (arg: string) {
  if (arg === "-") return [{ path: arg, isFound: false }]
  const files = yield* FileSystem.FileSystem
  const stat = yield* Effect.option(files.stat(arg))
  if (Option.isSome(stat))
    return stat.value.type === "Directory" ? yield* inFolder(arg) : [{ path: arg, isFound: false }]
  const hasPattern = /[*?[\]{}]/.test(arg)
  const matches = hasPattern ? yield* matching(arg) : []
  if (matches.length > 0) return matches
  return yield* CommandFailure.usage(
    hasPattern
      ? `No file matches ${arg}: check the pattern, and that the tests wrote their reports.`
      : `There is no file ${arg}: check the path, and that the tests wrote their report.`
  )
})

const isReportName = (path: string): boolean => /\.(?:xml|json)(?:\.gz)?$/i.test(path)

const inFolder = Effect.fnUntraced(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const entries = yield* Effect.mapError(files.readDirectory(folder, { recursive: true }), ({ reason }) =>
    CommandFailure.usage(`${folder} cannot be read (${reason._tag}).`)
  )
  const reports = entries.filter(
    (entry) => isReportName(entry) && !/(?:^|[\\/])(?:node_modules|\.git)[\\/]/.test(entry)
  )
  if (reports.length > 0) return reports.toSorted().map((entry) => ({ path: path.join(folder, entry), isFound: true }))
  return yield* CommandFailure.usage(
    `There is no report in the folder ${folder}: check that the tests wrote theirs (*.xml, *.json) there.`
  )
})

const matching = Effect.fnUntraced(function* (pattern: string) {
  const files = yield* FileSystem.FileSystem
  const all = yield* Stream.runCollect(Stream.fromAsyncIterable(glob(pattern), () => unexpandable(pattern)))
  const isFile = (path: string) =>
    Effect.map(Effect.option(files.stat(path)), (stat) => Option.isSome(stat) && stat.value.type === "File")
  const found = yield* Effect.filter(all.toSorted(), isFile)
  return found.map((path) => ({ path, isFound: true }))
})

const unexpandable = (pattern: string): CommandFailure.CommandFailure =>
  CommandFailure.usage(`${pattern} is a pattern that cannot be expanded: name the files.`)
