/** The operation that reads the event log of a repository (beyond the interface). */
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { linked } from "../definition/Linked.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { EventsPage, EventsQuery } from "./Event.ts"
import * as Parameter from "../definition/Parameter.ts"

const listEvents = HttpApiEndpoint.get("listEvents", `${repositoryPath}/events`, {
  params: Parameter.repository,
  query: EventsQuery,
  success: linked(EventsPage),
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.anyCredential("read")),
  Operation.documented({
    summary: "List events",
    description:
      "Lists the events of a repository, newest first: changed verdicts, started and ended quarantines, pauses of the merge " +
      "queue. An event records the observation at its time; a late upload appends events and changes none."
  })
)

/** The group of the event log. */
export class EventsApi extends Operation.guarded(
  "events",
  { description: "The event log of a repository." },
  listEvents
) {}
