/** A Citus cluster on this machine: a coordinator and two workers, made by a script outside of the repository. */
import { execFile, execFileSync } from "node:child_process"
import { existsSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

/** A node of the cluster. */
export type Node = "coord" | "w1" | "w2"

/** The nodes, the coordinator last. */
export const nodes: ReadonlyArray<Node> = ["w1", "w2", "coord"]

/** A running cluster. */
export interface Cluster extends Disposable {
  /** The URL of the database, on the coordinator. */
  readonly url: string
  /** The URL of the PostgreSQL next to the cluster, which has the same settings. */
  readonly plainUrl: string
  /** Has the data of each node in a folder of its name, and that of the PostgreSQL next to them in `plain`. */
  readonly folder: string
  /** Creates another database on every node, empty, and yields its URL on the coordinator. */
  readonly createDatabase: (name: string) => string
  /** Kills a node with SIGKILL. */
  readonly kill: (node: Node) => void
  readonly start: (node: Node) => void
}

/** The script that makes a cluster: `LAZARET_CITUS`, else in the folder next to the repository; null where it is missing. */
export const script = (): string | null => {
  const path =
    process.env["LAZARET_CITUS"] ?? fileURLToPath(new URL("../../../../../shared/citus/cluster.sh", import.meta.url))
  return existsSync(path) ? path : null
}

/** The programs of PostgreSQL that the script installs. */
export const programs = "/usr/lib/postgresql/15/bin"

/** Installs what is missing, and starts a new cluster. Nothing is lost when a process is killed, even if it `waitsForDisks` not. */
export const start = (path: string, waitsForDisks = false): Cluster => {
  const folder = mkdtempSync(join(tmpdir(), "lazaret-citus-"))
  const act = (...args: ReadonlyArray<string>) =>
    execFileSync("bash", [path, ...args], {
      env: { ...process.env, ...(!waitsForDisks && { FSYNC: "off" }) },
      stdio: ["ignore", "ignore", "inherit"]
    })
  if (!existsSync("/usr/lib/postgresql/15/lib/citus.so")) act("install")
  act("up", folder)
  for (const node of [...nodes, "plain"] as const) {
    query(urlOf(node, "lazaret"), "ALTER SYSTEM SET synchronous_commit = on")
    query(urlOf(node, "lazaret"), "SELECT pg_reload_conf()")
  }
  return {
    url: urlOf("coord", "lazaret"),
    plainUrl: urlOf("plain", "lazaret"),
    folder,
    createDatabase,
    kill: (node) => void act("kill", node, folder),
    start: (node) => void act("start", node, folder),
    [Symbol.dispose]: () => void act("down", folder)
  }
}

/** The ports of the nodes, and of the PostgreSQL next to them. */
export const ports: Readonly<Record<Node | "plain", number>> = { coord: 25400, w1: 25401, w2: 25402, plain: 25410 }

/** The URL of a database on one node. */
export const urlOf = (node: Node | "plain", database: string): string =>
  `postgres://postgres@127.0.0.1:${ports[node]}/${database}`

/** Does what the page on scaling out asks of operators. */
const createDatabase = (name: string): string => {
  for (const node of nodes) {
    query(urlOf(node, "postgres"), `CREATE DATABASE ${name} ENCODING UTF8 LOCALE 'C' TEMPLATE template0`)
    query(urlOf(node, name), "CREATE EXTENSION citus")
  }
  const url = urlOf("coord", name)
  query(url, `ALTER DATABASE ${name} SET citus.shard_count = 8`)
  query(url, `SELECT citus_set_coordinator_host('127.0.0.1', ${ports.coord})`)
  for (const node of ["w1", "w2"] as const) query(url, `SELECT citus_add_node('127.0.0.1', ${ports[node]})`)
  return url
}

/** Runs a statement and yields the values of its rows, a row on each line, while this process goes on. */
export const ask = async (url: string, statement: string): Promise<ReadonlyArray<string>> => {
  const { stdout } = await promisify(execFile)("psql", ["-qXAt", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statement])
  return stdout.split("\n").filter((line) => line !== "")
}

const query = (url: string, statement: string) =>
  execFileSync("psql", ["-qX", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statement], {
    stdio: ["ignore", "ignore", "inherit"]
  })
