/** GitLab as the hosting platform: the look-ups, the actions that need a token, and the roles of people. */
import { Forge, HostingPlatform, PlatformRoles, PlatformSetup, WorkflowRuns } from "@lazaret/services"
import { Context, Effect, Layer } from "effect"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabForge from "./GitLabForge.ts"
import * as GitLabLookups from "./GitLabLookups.ts"
import * as GitLabPipelines from "./GitLabPipelines.ts"
import * as GitLabRoles from "./GitLabRoles.ts"
import * as GitLabSetup from "./GitLabSetup.ts"

/** The look-ups, the actions, the pipelines and the roles of people at a connection. */
export const make = Effect.fnUntraced(function* (connection: GitLabClient.Connection) {
  const client = yield* GitLabClient.make(connection)
  const lookups = yield* GitLabLookups.make(connection, client)
  return Context.make(HostingPlatform, lookups).pipe(
    Context.add(Forge, GitLabForge.make(client, connection)),
    Context.add(PlatformSetup, GitLabSetup.make(connection, client, lookups)),
    Context.add(WorkflowRuns, GitLabPipelines.make(client)),
    Context.add(PlatformRoles, yield* GitLabRoles.make(connection, client))
  )
})

/** The same as a layer. */
export const layer = (connection: GitLabClient.Connection): Layer.Layer<HostingPlatform | Forge | PlatformSetup> =>
  Layer.effectContext(make(connection))
