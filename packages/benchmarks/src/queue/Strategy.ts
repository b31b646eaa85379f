/** The queues that are compared. */
import type { Judge } from "./Checks.ts"
import * as Driven from "./Driven.ts"
import type { Measured } from "./Measured.ts"
import * as Native from "./Native.ts"
import type * as World from "./World.ts"

/** A way to run the queue. */
export interface Strategy {
  readonly name: string
  readonly simulate: (world: World.World, drawn: World.Drawn) => Measured
}

/** The checks that run at the same time in a driven queue, and what GitHub builds at the same time by default. */
const parallel = 4
const building = 5

/** The queue that others are compared with. */
export const reference = `drive 1 x ${parallel}`

const native = (name: string, settings: Native.Settings): Strategy => ({
  name,
  simulate: (world, drawn) => Native.simulate(settings, world, drawn)
})

const driven = (name: string, settings: Driven.Settings): Strategy => ({
  name,
  simulate: (world, drawn) => Driven.simulate(settings, world, drawn)
})

/** Every queue under a judge. */
export const all = (judge: Judge): ReadonlyArray<Strategy> => [
  driven(reference, { batchSize: 1, parallel, judge }),
  native("serial", { building: 1, eviction: "in turn", judge: null }),
  native("native, at once", { building, eviction: "at once", judge: null }),
  native("native, in turn", { building, eviction: "in turn", judge: null }),
  native("gate", { building, eviction: "in turn", judge }),
  driven(`drive 4 x ${parallel}`, { batchSize: 4, parallel, judge }),
  driven(`drive 8 x ${parallel}`, { batchSize: 8, parallel, judge }),
  driven("drive 4 x 2", { batchSize: 4, parallel: 2, judge }),
  driven("drive 4 x 1", { batchSize: 4, parallel: 1, judge }),
  driven(`drive 4 x ${parallel}, waits`, { batchSize: 4, parallel, wait: 600, judge })
]
