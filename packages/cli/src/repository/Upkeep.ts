/** `lazaret verify` and `lazaret retention run`. */
import type { Schemas } from "@lazaret/api"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import * as Flags from "../connection/Flags.ts"
import type { Loaded } from "../ServerCommands.ts"
import * as Session from "../connection/Session.ts"
import { plain } from "../terminal/Terminal.ts"
import * as Repo from "./Repo.ts"

/** Compares the stored verdicts with the kept executions. */
export const verify: Loaded<"verify"> = Command.make(
  "verify",
  {
    ...Flags.server,
    repo: Flags.repository.pipe(
      Flag.withDescription("Repository, such as acme/widgets (else: all repositories of the key)"),
      Flag.optional
    )
  },
  Effect.fn("lazaret.verify")(function* (given) {
    const session = yield* Session.open(given)
    const refs = Option.isSome(given.repo)
      ? [given.repo.value]
      : (yield* Repo.all(session)).entries.map(({ row }) => row)
    const found = yield* Effect.forEach(refs, ({ owner, repository }) =>
      session.call(Session.nameOf({ owner, repository }), (api) =>
        api.verifyRepository({ params: { owner, repository }, ...both })
      )
    )
    const verifications = found.map(({ value }) => value)
    yield* Session.print(given, { repositories: found.map(({ body }) => body) }, () =>
      verifications.length === 0 ? "There is no repository yet." : verifications.flatMap(differencesOf).join("\n")
    )
    const differing = verifications.filter(({ total }) => total > 0)
    if (differing.length > 0) return yield* different(differing)
  })
).pipe(
  Command.withDescription(
    "Compare all stored verdicts and figures with the kept executions. Uploads stay possible. Exits with 6 when one differs."
  ),
  Command.withShortDescription("Compare stored verdicts with executions"),
  Command.withExamples([
    { command: "lazaret verify", description: "Verify every repository" },
    { command: "lazaret verify --repo acme/widgets", description: "Verify one" }
  ])
)

type Verification = typeof Schemas.Verification.Type

const differencesOf = (found: Verification): ReadonlyArray<string> => {
  const name = Session.nameOf(found)
  if (found.total === 0) return [`${name}: as computed`]
  const rest = found.total - found.differences.length
  return [
    ...found.differences.map(({ kind, place }) => plain(`${name}: ${kind} of ${place} is not as computed`)),
    ...(rest > 0 ? [`${name}: and ${rest} more`] : [])
  ]
}

const different = (differing: ReadonlyArray<Verification>): CommandFailure.CommandFailure => {
  const total = differing.reduce((sum, each) => sum + each.total, 0)
  const [first] = differing
  const name = differing.length === 1 && first !== undefined ? Session.nameOf(first) : null
  return new CommandFailure.CommandFailure({
    message:
      `${counted(total, "difference")} in ${name ?? `${differing.length} repositories`}. Keep the log of the server for a ` +
      `bug report, then recompute: lazaret repo refold --repo ${name ?? "…"}`,
    exitCode: ExitCode.different
  })
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

const run = Command.make(
  "run",
  Flags.server,
  Effect.fn("lazaret.retention.run")(function* (given) {
    const session = yield* Session.open(given)
    yield* session.progress.waiting("Deleting old results. This may take minutes.")
    const { body, value } = yield* session
      .call(null, (api) => api.runRetention(both))
      .pipe(Effect.mapError((failure) => (failure.status === 403 ? unauthorised : failure)))
    yield* Session.print(given, body, () => retainedOf(value))
    if (value.failed > 0) return yield* incomplete(value.failed)
  })
).pipe(
  Command.withDescription(
    "Delete results that are older than the retention (LAZARET_RETENTION_DAYS) now, not at the next daily run. The " +
      "server stays in use. This command needs an admin key for all owners."
  ),
  Command.withShortDescription("Delete old results now"),
  Command.withExamples([{ command: "lazaret retention run", description: "Delete old results in every repository" }])
)

/** The server knows the key: the conversation has begun. */
const unauthorised = CommandFailure.refused(
  "The server refused the key (403): this command needs an admin key for all owners.",
  403
)

const retainedOf = (done: typeof Schemas.Retained.Type): string =>
  [
    `kept for ${done.days} days: results from before ${Session.dayOf(done.horizon)} are deleted`,
    `deleted in ${counted(done.repositories, "repository", "repositories")}: ${counted(done.reports, "report")}, ` +
      `${counted(done.identities, "test")}, ${counted(done.events, "event")}`,
    `weekly partitions: ${done.weeks_released} dropped, ${done.weeks_rewritten} rewritten, ${done.weeks_prepared} created`
  ].join("\n")

const incomplete = (failed: number): CommandFailure.CommandFailure =>
  new CommandFailure.CommandFailure({
    message:
      `Retention failed for ${counted(failed, "repository", "repositories")}: see the log of the server. Run the command ` +
      "again, which continues where it stopped; the server also does this every day.",
    exitCode: ExitCode.refused
  })

/** Deletes old results. */
export const retention = Command.make("retention").pipe(
  Command.withDescription("Delete results that are older than the retention."),
  Command.withShortDescription("Delete old results"),
  Command.withSubcommands([run])
)
