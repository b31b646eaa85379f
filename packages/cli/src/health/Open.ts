/** `lazaret open`: the page of a repository or a test in the dashboard. */
import { spawn } from "node:child_process"
import type { Repository } from "@lazaret/domain"
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import * as Connection from "../connection/Connection.ts"
import * as Dashboard from "../connection/Dashboard.ts"
import * as Flags from "../connection/Flags.ts"
import * as Session from "../connection/Session.ts"
import * as TestName from "../connection/TestName.ts"
import { Output } from "../terminal/Terminal.ts"

/** Prints the link to a page, and opens it in a browser when a person has typed the command. */
export const command = Command.make(
  "open",
  {
    ...Flags.ofRepository,
    test: Argument.String("test").pipe(
      Argument.withDescription("Fully qualified name of the test, or its id; without it, the page of the repository"),
      Argument.optional
    )
  },
  Effect.fn("lazaret.open")(function* (given) {
    const ref: Repository.RepositoryRef = yield* Session.repositoryOf(given.repo)
    const { url } = yield* Connection.resolve(given)
    const link = Option.isNone(given.test)
      ? Dashboard.repository(url, ref)
      : Dashboard.test(url, ref, yield* TestName.idOf(given.test.value))
    if ((yield* Output).isTTY) yield* Effect.sync(() => browse(link))
    yield* Session.print(given, { url: link }, () => link)
  })
).pipe(
  Command.withDescription(
    "Open the page of a repository or a test in the dashboard, and print its link. In a pipe the link is only printed."
  ),
  Command.withShortDescription("Open the dashboard"),
  Command.withExamples([
    { command: 'lazaret open --repo acme/widgets "cart > pays with a card"', description: "Open the page of a test" }
  ])
)

const openers: { readonly [platform: string]: ReadonlyArray<string> } = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"]
}

/** Without a browser the printed link is enough. */
const browse = (link: string): void => {
  const [file = "", ...args] = openers[process.platform] ?? ["xdg-open"]
  const child = spawn(file, [...args, link], { stdio: "ignore", detached: true })
  child.once("error", () => {})
  child.unref()
}
