/**
 * Fail-over of the database: `npm run failover`, with `-- --short`, `-- --only death`.
 *
 * Starts a PostgreSQL with a standby on this machine, two servers and a load of uploads, and plays each way of failing over. Exits
 * with 1 when an acknowledged upload was lost with synchronous replication, or counts twice.
 */
import { parseArgs } from "node:util"
import * as Failover from "./Failover.ts"
import { programs } from "./Pair.ts"

const { values } = parseArgs({
  options: { short: { type: "boolean", default: false }, only: { type: "string", default: "" } }
})

const plays = [
  { name: "death", scene: Failover.scenes.death, isSynchronous: true, isShort: true },
  { name: "read-only", scene: Failover.scenes.readOnly, isSynchronous: true, isShort: false },
  { name: "handover", scene: Failover.scenes.handover, isSynchronous: true, isShort: false },
  { name: "lost standby", scene: Failover.scenes.lostStandby, isSynchronous: true, isShort: false },
  { name: "death without synchronous replication", scene: Failover.scenes.death, isSynchronous: false, isShort: false }
]

const bin = programs()
if (bin === null) {
  process.stdout.write(
    "!!! SKIPPED: no PostgreSQL with pg_basebackup is installed here (Debian: postgresql), or this user may not run it !!!\n" +
      "!!! Nothing checked that Lazaret survives a fail-over of its database. !!!\n"
  )
} else {
  for (const { isShort, isSynchronous, name, scene } of plays) {
    if (values.only === "" ? values.short && !isShort : !name.startsWith(values.only)) continue
    const { faults, ...figures } = await Failover.run(bin, scene, { isSynchronous, ms: values.short ? 1000 : 5000 })
    const outcome = faults.length === 0 ? "held" : `${faults.length} faults`
    process.stdout.write(`${name}: ${outcome} ${JSON.stringify(figures)}\n`)
    for (const fault of faults.slice(0, 20)) process.stdout.write(`  FAULT ${fault.slice(0, 2000)}\n`)
    if (faults.length > 0) process.exitCode = 1
  }
}
