/** `lazaret mcp`: the tools of Lazaret for agents. */
import type { Repository } from "@lazaret/domain"
import { Effect, type Option } from "effect"
import { Command } from "effect/cli"
import * as Flags from "../connection/Flags.ts"
import { load } from "../terminal/MissingPackage.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"

interface Given extends Pick<Flags.Server, "url" | "token"> {
  readonly repo: Option.Option<Repository.RepositoryRef>
}

/** Serves the Model Context Protocol over standard input and output. */
export const command = Command.make(
  "mcp",
  { repo: Flags.ofRepository.repo, url: Flags.server.url, token: Flags.server.token },
  Effect.fn("lazaret.mcp")(function* (given: Given) {
    // Standard output belongs to the protocol.
    const session = yield* Session.open({ ...given, json: true })
    const repository = yield* Effect.option(Session.repositoryOf(given.repo))
    const { value: key } = yield* session.call(null, (api) => api.getApplication(both))
    const { serve } = yield* load(() => import("./McpStdio.ts"))
    yield* serve({ session, repository }, key.narrow_scope === undefined)
  })
).pipe(
  Command.withDescription(
    "Give agents access to the tests of a server, as tools of the Model Context Protocol over standard input and output. " +
      "The tool that quarantines is offered only with a key that may quarantine."
  ),
  Command.withShortDescription("Answer questions of agents (MCP)"),
  Command.withExamples([
    { command: "claude mcp add lazaret -- lazaret mcp --repo acme/widgets", description: "In Claude Code" },
    { command: "lazaret mcp --url https://tests.example.com", description: "With LAZARET_TOKEN in the environment" }
  ])
)
