/** `lazaret github check` and `lazaret gitlab check`: the first hour of a repository at its platform. */
import type { Schemas } from "@lazaret/api"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import * as Flags from "../connection/Flags.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import { plain, type Terminal } from "../terminal/Terminal.ts"

type Report = typeof Schemas.PlatformReport.Type

type Step = Report["steps"][number]

const names = { github: "GitHub", gitlab: "GitLab" } as const

type Platform = keyof typeof names

const flags = {
  ...Flags.ofRepository,
  branch: Flag.String("branch").pipe(
    Flag.withDescription("Base branch of the gate (the default branch)"),
    Flag.optional
  ),
  write: Flag.Boolean("write").pipe(
    Flag.withDescription("Write the check lazaret/check on the default branch, and read it back"),
    Flag.withDefault(false)
  ),
  rerun: Flag.String("rerun").pipe(
    Flag.withDescription("Run the failed jobs of this commit again"),
    Flag.filter(
      (commit) => /^[0-9a-f]{7,64}$/iu.test(commit),
      (commit) => `"${commit}" is not a commit`
    ),
    Flag.optional
  )
}

const check = (platform: Platform) =>
  Command.make(
    "check",
    flags,
    Effect.fn(`lazaret.${platform}.check`)(function* (given) {
      const { name, params, session } = yield* Session.ofRepository(given)
      const query = Option.match(given.branch, { onNone: () => ({}), onSome: (branch) => ({ branch }) })
      const payload = { check: given.write, rerun: Option.getOrNull(given.rerun) }
      const isTrying = payload.check || payload.rerun !== null
      const { body, value } = yield* session.once(name, (api) =>
        isTrying
          ? api.tryPlatform({ params, query, payload, ...both })
          : api.getPlatformReport({ params, query, ...both })
      )
      yield* Session.print(given, body, (terminal) => reportOf(terminal, value))
      if (value.platform !== null && value.platform !== platform) {
        return yield* CommandFailure.usage(`the server is connected to ${names[value.platform]}: run its command`)
      }
      const missing = value.steps.filter(({ state }) => state === "missing").length + value.failures.length
      if (missing > 0) {
        return yield* new CommandFailure.CommandFailure({
          message: `${name}: ${missing} ${missing === 1 ? "step is" : "steps are"} missing`,
          exitCode: ExitCode.failing
        })
      }
    })
  ).pipe(
    Command.withDescription(
      `Show what of the connection to ${names[platform]} was seen at work: permissions, events, a delivery, a check, a rerun, the names ` +
        "of checks and the rules of the branch; and for what is missing the page where it is changed. It ends with 10 when a step is missing."
    ),
    Command.withShortDescription(`Check the connection to ${names[platform]}`),
    Command.withExamples([
      { command: `lazaret ${platform} check --repo acme/widgets`, description: "Show what is missing" },
      {
        command: `lazaret ${platform} check --repo acme/widgets --write`,
        description: "Write a check, and read it back"
      }
    ])
  )

const columns: ReadonlyArray<Table.Column<Step>> = [
  { heading: "state", cell: ({ state }) => state },
  { heading: "step", cell: ({ name }) => name },
  { heading: "seen", cell: ({ seen_at: at }) => (at === null ? "" : Session.minuteOf(at)) },
  { heading: "what is known", cell: ({ message }) => message, canShrink: true }
]

const gates: Record<Report["gate"], string> = {
  off: "no gate is configured",
  shadow: "the gate is in the shadow",
  held: "the gate is kept in the shadow until every needed step is ok",
  acting: "the gate acts"
}

const drives: Record<Report["drive"], string> = {
  off: "no queue is driven",
  shadow: "the driven queue is in the shadow",
  held: "the driven queue is kept in the shadow until every needed step is ok",
  acting: "Lazaret drives the queue"
}

const reportOf = (terminal: Terminal, report: Report): string =>
  [
    Table.make(terminal, columns, report.steps),
    ...section(
      "To do:",
      report.steps.flatMap(({ action, name, state, url }) =>
        state === "ok" || action === null ? [] : [`${name}: ${action}${url === null ? "" : ` ${url}`}`]
      )
    ),
    ...section("Did not work:", report.failures),
    ...section("Not seen by this command:", report.assumptions),
    "",
    plain(
      `${report.branch === null ? "" : `${report.branch}: `}${report.drive === "off" ? gates[report.gate] : drives[report.drive]}`
    )
  ].join("\n")

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", title, ...lines.map((line) => plain(`- ${line}`))]

const commandOf = (platform: Platform) =>
  Command.make(platform).pipe(
    Command.withDescription(`The connection to ${names[platform]}.`),
    Command.withShortDescription(`The connection to ${names[platform]}`),
    Command.withSubcommands([check(platform)])
  )

/** The commands on hosting platforms. */
export const commands = [commandOf("github"), commandOf("gitlab")] as const
