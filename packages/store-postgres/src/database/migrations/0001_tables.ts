/** The tables and views of the first release. */
import { Effect } from "effect"
import { directory } from "./0001/directory.ts"
import { events } from "./0001/events.ts"
import { executions } from "./0001/executions.ts"
import { queue } from "./0001/queue.ts"
import { subscriptions } from "./0001/subscriptions.ts"
import { views } from "./0001/views.ts"

/** Creates everything in an empty database. */
export const tables = Effect.all([directory, executions, queue, events, subscriptions, views], { discard: true })
