/** GitLab as the hosting platform: the look-ups, and the actions that need a token. */
import { Forge, HostingPlatform, WorkflowRuns } from "@lazaret/services"
import { Context, Effect, Layer } from "effect"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabForge from "./GitLabForge.ts"
import * as GitLabLookups from "./GitLabLookups.ts"
import * as GitLabPipelines from "./GitLabPipelines.ts"

/** The look-ups, the actions and the pipelines at a connection. */
export const make = Effect.fnUntraced(function* (connection: GitLabClient.Connection) {
  const client = yield* GitLabClient.make(connection)
  const lookups = yield* GitLabLookups.make(connection, client)
  return Context.make(HostingPlatform, lookups).pipe(
    Context.add(Forge, GitLabForge.make(client)),
    Context.add(WorkflowRuns, GitLabPipelines.make(client))
  )
})

/** The same as a layer. */
export const layer = (connection: GitLabClient.Connection): Layer.Layer<HostingPlatform | Forge> =>
  Layer.effectContext(make(connection))
