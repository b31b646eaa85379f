/** The flag that names a repository. */
import { Effect, type FileSystem, Option } from "effect"
import { Flag } from "effect/cli"
import * as CommandFailure from "./CommandFailure.ts"
import * as CiEnvironment from "./ci/CiEnvironment.ts"
import * as Environment from "./Environment.ts"

/** `--repo owner/repository`. */
export const flag = Flag.String("repo").pipe(
  Flag.withMetavar("owner/repository"),
  Flag.withDescription("Repository, such as acme/widgets (LAZARET_REPO, else the one of the CI system)"),
  Flag.filterMap(parse, advice)
)

/** `--repo`, which the environment can stand for (see {@link resolve}). */
export const optional = Flag.optional(flag)

type Ref = Option.Option.Value<ReturnType<typeof parse>>

/** The repository for what was given: the flag, else `LAZARET_REPO`, else the one that the CI system names. */
export const resolve = Effect.fnUntraced(function* (
  given: Option.Option<Ref>
): Effect.fn.Return<Ref, CommandFailure.CommandFailure, FileSystem.FileSystem> {
  if (Option.isSome(given)) return given.value
  const set = yield* Environment.variable("LAZARET_REPO")
  const text = set ?? (yield* CiEnvironment.current)?.repository ?? null
  if (text === null) {
    return yield* CommandFailure.usage("There is no repository: give --repo owner/repository, or set LAZARET_REPO.")
  }
  return yield* Option.match(parse(text), {
    onNone: () =>
      CommandFailure.usage(
        `${set === null ? "The CI system" : "LAZARET_REPO"} names one that is none: ${advice(text)}.`
      ),
    onSome: Effect.succeed
  })
})

/** The rules of interface 2.1; the domain is not loaded for them, so that the command line starts fast. */
function parse(text: string) {
  const [, owner, repository] = /^([a-zA-Z0-9-]{1,40})\/([\w.-]{1,100})$/.exec(text) ?? []
  // A path cannot name these two: whoever reads it takes them as "here" and "above".
  const isName = repository !== undefined && repository !== "." && repository !== ".."
  return owner === undefined || !isName ? Option.none() : Option.some({ owner, repository })
}

function advice(text: string): string {
  return `"${text}" is no repository: write it as owner/repository, such as acme/widgets`
}
