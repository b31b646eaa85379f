/** The tables and views of 0.1.0. */
import { access } from "./0001/access.ts"
import { events } from "./0001/events.ts"
import { executions } from "./0001/executions.ts"
import { failures } from "./0001/failures.ts"
import { platform } from "./0001/platform.ts"
import { queue } from "./0001/queue.ts"
import { repositories } from "./0001/repositories.ts"
import { views } from "./0001/views.ts"

/** Creates everything in an empty database. */
export const firstRelease: ReadonlyArray<string> = [
  ...access,
  ...repositories,
  ...executions,
  ...failures,
  ...events,
  ...platform,
  ...queue,
  ...views
]
