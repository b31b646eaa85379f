/** The folder of the checkout, which the server takes off paths in reports. */
import { Context, Effect, FileSystem, Option, Path } from "effect"
import { Flag } from "effect/cli"
import * as Environment from "../terminal/Environment.ts"

/**
 * The variables in which CI systems name the checkout.
 *
 * **Details**
 *
 * In this order: GitHub and Forgejo, GitLab, Jenkins, AWS CodeBuild, Buildkite, Azure Pipelines, CircleCI, Bitbucket, Travis,
 * Drone, Woodpecker, AppVeyor, Cirrus, Bitrise, Bamboo, Semaphore.
 */
export const variables = [
  "GITHUB_WORKSPACE",
  "CI_PROJECT_DIR",
  "WORKSPACE",
  "CODEBUILD_SRC_DIR",
  "BUILDKITE_BUILD_CHECKOUT_PATH",
  "BUILD_SOURCESDIRECTORY",
  "CIRCLE_WORKING_DIRECTORY",
  "BITBUCKET_CLONE_DIR",
  "TRAVIS_BUILD_DIR",
  "DRONE_WORKSPACE",
  "CI_WORKSPACE",
  "APPVEYOR_BUILD_FOLDER",
  "CIRRUS_WORKING_DIR",
  "BITRISE_SOURCE_DIR",
  "bamboo_build_working_directory",
  "SEMAPHORE_GIT_DIR"
] as const

/** The flag that names the checkout on the machine of the tests. */
export const flag = Flag.String("checkout").pipe(
  Flag.withDescription(
    "Folder of the checkout on the machine of the tests, which is taken off paths in reports (else: the one around the current folder)"
  ),
  Flag.filter(
    (text) => /^(?:\/|[A-Za-z]:[\\/])/.test(text) && text.length <= 1000,
    (text) => `"${text}" is not an absolute path`
  ),
  Flag.optional
)

/** The checkout that the flag names. */
const Given: Context.Reference<Option.Option<string>> = Context.Reference<Option.Option<string>>(
  "@lazaret/cli/Checkout",
  { defaultValue: Option.none }
)

/**
 * The checkout that the flag names, else the one around the current folder.
 *
 * **Details**
 *
 * The first variable whose folder is the current one or around it; else the nearest folder with `.git`; else the current folder.
 * A variable of another place (`WORKSPACE` of a tool, a path outside of a container) names no checkout.
 */
export const current: Effect.Effect<string, never, FileSystem.FileSystem | Path.Path> = Effect.gen(function* () {
  const given = yield* Given
  if (Option.isSome(given)) return given.value
  const path = yield* Path.Path
  const files = yield* FileSystem.FileSystem
  const own = path.resolve(".")
  const around = foldersAround(path, own)
  for (const name of variables) {
    const value = yield* Environment.variable(name)
    const folder = value !== null && path.isAbsolute(value) ? path.resolve(value) : null
    if (folder !== null && around.includes(folder)) return folder
  }
  for (const folder of around) {
    const isCheckout = yield* Effect.orElseSucceed(files.exists(path.join(folder, ".git")), () => false)
    if (isCheckout) return folder
  }
  return own
})

/** A folder and all folders around it, without the root. */
const foldersAround = (path: Path.Path, folder: string): ReadonlyArray<string> => {
  const outer = path.dirname(folder)
  return outer === folder ? [] : [folder, ...foldersAround(path, outer)]
}

/** Runs a command with the checkout of its flag. */
export const within = <A, E, R>(
  command: Effect.Effect<A, E, R>,
  { checkout }: { readonly checkout: Option.Option<string> }
): Effect.Effect<A, E, R> => Effect.provideService(command, Given, checkout)
