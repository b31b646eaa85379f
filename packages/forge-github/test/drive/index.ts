/** All scenarios of a driven queue. */
import * as Batches from "./batches.ts"
import * as Changes from "./changes.ts"
import * as Checks from "./checks.ts"
import * as Landing from "./landing.ts"
import * as Operation from "./operation.ts"
import * as Order from "./order.ts"
import * as People from "./people.ts"
import type { Scenario } from "./scenario.ts"

/** The scenarios. */
export const scenarios: ReadonlyArray<Scenario> = [
  ...Batches.scenarios,
  ...Order.scenarios,
  ...People.scenarios,
  ...Landing.scenarios,
  ...Operation.scenarios,
  ...Changes.scenarios,
  ...Checks.scenarios
]
