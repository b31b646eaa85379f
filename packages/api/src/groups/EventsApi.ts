/** The operation that reads the event log of a repository (beyond the interface). */
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../Access.ts"
import { examples } from "../examples/Examples.ts"
import { linked } from "../Linked.ts"
import * as Operation from "../Operation.ts"
import { repositoryPath } from "../paths.ts"
import * as Problem from "../Problem.ts"
import { EventsPage, EventsQuery } from "../wire/Event.ts"
import * as Parameter from "../wire/Parameter.ts"

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
      "queue. An event records the observation at its time; a late upload appends events and changes none.",
    example: examples.listEvents
  })
)

/** The group of the event log. */
export class EventsApi extends Operation.guarded(
  "events",
  { description: "The event log of a repository." },
  listEvents
) {}
