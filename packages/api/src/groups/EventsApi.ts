/** The route of what has happened in a repository. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "../Authentication.ts"
import { linked } from "../Linked.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import { EventsPage, EventsQuery } from "../wire/Event.ts"
import * as Parameter from "../wire/Parameter.ts"

const listEvents = HttpApiEndpoint.get("listEvents", "/events", {
  params: Parameter.repository,
  query: EventsQuery,
  success: linked(EventsPage),
  error: [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]
}).annotateMerge(
  OpenApi.annotations({
    summary: "List events",
    description:
      "Lists what has happened, the newest first: verdicts that moved, quarantines that began and ended, pauses of the " +
      "merge queue. An event tells what was observed at the time; a late upload adds events and changes none."
  })
)

/** The group of the route of events. */
export class EventsApi extends HttpApiGroup.make("events", { topLevel: true })
  .add(listEvents)
  .prefix("/v1/ci/:owner/repositories/:repository")
  .middleware(RequestErrors)
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ description: "What has happened." })) {}
