/** `lazaret names`: the names that the scripts of `lazaret completion` offer. Help does not list it. */
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import * as Flags from "../connection/Flags.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"

/** The most names that a shell is offered. */
const most = 100

/**
 * Prints the names that begin with a text, one per line.
 *
 * **Details**
 *
 * `typed` are the word that is being completed and, after it, the words of the line before it: its `--repo` decides the
 * repository. Without a server, a key or a repository nothing is printed, because a shell shows no messages while it completes.
 */
export const command = Command.make(
  "names",
  {
    ...Flags.server,
    of: Argument.Literals("of", ["tests", "repositories"]),
    typed: Argument.String("typed").pipe(Argument.variadic({ min: 1 }))
  },
  Effect.fn("lazaret.names")(function* (given) {
    const [word = "", ...line] = given.typed
    const prefix = word.replace(/^["']/, "")
    const found = given.of === "tests" ? tests(given, prefix, line) : repositories(given, prefix)
    const names = yield* found.pipe(
      Effect.timeout("3 seconds"),
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )
    for (const name of new Set(names)) yield* Console.log(name)
  })
).pipe(Command.unlisted)

const tests = Effect.fnUntraced(function* (given: Flags.Server, prefix: string, line: ReadonlyArray<string>) {
  const repo = Option.flatMap(Option.fromUndefinedOr(repositoryIn(line)), Flags.parseRepository)
  const { name, params, session } = yield* Session.ofRepository({ ...given, repo })
  // A value of the filter has at most 255 characters.
  const query = { test_name: [`${prefix.slice(0, 254)}*`], sort: "test_name", direction: "asc" } as const
  const { entries } = yield* session.list({
    subject: name,
    key: "tests",
    most,
    page: (api, at) => api.searchTests({ params, query: { ...query, ...at }, ...both })
  })
  return entries.map(({ row }) => row.test_name).filter((each) => each.startsWith(prefix) && !/[\r\n]/.test(each))
})

const repositories = Effect.fnUntraced(function* (given: Flags.Server, prefix: string) {
  const session = yield* Session.open(given)
  const { entries } = yield* session.list({
    subject: null,
    key: "repositories",
    most: 1000,
    page: (api, at) => api.listRepositories({ query: at, ...both })
  })
  return entries.map(({ row }) => Session.nameOf(row)).filter((each) => each.startsWith(prefix))
})

/** The value of `--repo` in a line. */
const repositoryIn = (line: ReadonlyArray<string>): string | undefined => {
  const at = line.findIndex((each) => each === "--repo" || each.startsWith("--repo="))
  const flag = line[at]
  return flag === "--repo" ? line[at + 1] : flag?.slice("--repo=".length)
}
