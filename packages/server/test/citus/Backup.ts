/**
 * A worker of a cluster is lost with its data folder while two servers take uploads, and comes back from a base backup and the
 * write-ahead log that was received since.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, chownSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import * as Cluster from "./Cluster.ts"
import * as Load from "./Load.ts"

const node = "w1"

/** Loses the worker and restores it to its last commit. */
export const run = (cluster: Cluster.Cluster): Promise<Load.Outcome> =>
  Load.during(cluster.url, "backup", async (load) => {
    const received = join(cluster.folder, "log")
    const backup = join(cluster.folder, "base")
    const receiver = await receive(cluster, received)
    await asUser("pg_basebackup", "-D", backup, "-X", "stream", "-c", "fast", "--no-sync", "-d", address)
    for (let round = 0; round < 3; round++) await Load.everyRepositoryTaken(load, "after the backup")
    cluster.kill(node)
    await receiver.ended
    await sleep(1000)
    rmSync(join(cluster.folder, node), { recursive: true })
    renameSync(backup, join(cluster.folder, node))
    recoverFrom(cluster, received)
    cluster.start(node)
    // Commits wait until somebody receives them again.
    const again = await receive(cluster, `${received} again`)
    await Load.everyRepositoryTaken(load, `after ${node} came back`)
    await receiveNoMore()
    again.stop()
  })

const address = `host=127.0.0.1 port=${Cluster.ports[node]} user=postgres`

const asCommand = (program: string, args: ReadonlyArray<string>) => [
  "--reuid=postgres",
  "--regid=postgres",
  "--clear-groups",
  "--",
  join(Cluster.programs, program),
  ...args
]

const asUser = (program: string, ...args: ReadonlyArray<string>) =>
  promisify(execFile)("setpriv", asCommand(program, args), { cwd: "/" })

/** Receives the log of the worker into a folder, and makes every commit wait until it is there. */
const receive = async ({ folder }: Cluster.Cluster, into: string) => {
  mkdirSync(into)
  own(folder, into)
  const child = spawn(
    "setpriv",
    asCommand("pg_receivewal", ["-D", into, "--synchronous", "--no-loop", "-d", `${address} application_name=archive`]),
    {
      cwd: "/",
      stdio: "ignore"
    }
  )
  const ended = once(child, "close")
  while (!(await isReceiving())) await sleep(50)
  await configure("ALTER SYSTEM SET synchronous_standby_names = 'archive'")
  return { ended, stop: () => child.kill() }
}

const receiveNoMore = () => configure("ALTER SYSTEM RESET synchronous_standby_names")

const url = Cluster.urlOf(node, "postgres")

const isReceiving = async (): Promise<boolean> =>
  (
    await Cluster.ask(
      url,
      "SELECT 1 FROM pg_stat_replication WHERE application_name = 'archive' AND state = 'streaming'"
    )
  ).length > 0

const configure = async (statement: string): Promise<void> => {
  await Cluster.ask(url, statement)
  await Cluster.ask(url, "SELECT pg_reload_conf()")
}

/** Lets the worker repeat all that was received, also the segment that is not full. */
const recoverFrom = ({ folder }: Cluster.Cluster, received: string): void => {
  const data = join(folder, node)
  const signal = join(data, "recovery.signal")
  writeFileSync(signal, "")
  own(folder, signal)
  const copy = `cp "${received}/%f" "%p" 2>/dev/null || cp "${received}/%f.partial" "%p" 2>/dev/null`
  appendFileSync(join(data, "postgresql.conf"), `restore_command = '${copy}'\n`)
}

/** Gives a file to the user of the cluster. */
const own = (folder: string, path: string): void => {
  const { gid, uid } = statSync(join(folder, node))
  chownSync(path, uid, gid)
}
