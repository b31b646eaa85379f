/** A PostgreSQL with a standby on this machine, from Debian's packages, and one address that leads to one of them. */
import { execFileSync } from "node:child_process"
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const installed = "/usr/lib/postgresql"

/** The programs of the newest PostgreSQL of the system; null where PostgreSQL is not installed, or this process may not become its user. */
export const programs = (): string | null => {
  if (process.getuid?.() !== 0 || !existsSync(installed)) return null
  const [newest] = readdirSync(installed).toSorted((a, b) => Number(b) - Number(a))
  const folder = join(installed, newest ?? "", "bin")
  return existsSync(join(folder, "pg_basebackup")) ? folder : null
}

/** One of the two servers. */
export type Name = "first" | "second"

/** The two servers, and the address that clients know. */
export interface Pair extends AsyncDisposable {
  readonly url: string
  readonly act: {
    /** Kills a server with SIGKILL. */
    readonly kill: (name: Name) => void
    readonly start: (name: Name) => void
    readonly promote: (name: Name) => void
    /** Makes a server refuse writes, or take them again. */
    readonly setReadOnly: (name: Name, isReadOnly: boolean) => void
    /** Leads new connections to a server. Those that exist stay where they are. */
    readonly lead: (name: Name) => void
    /** Closes every connection, and new ones while `isClosed`. */
    readonly cut: (isClosed: boolean) => void
  }
}

interface Place {
  readonly bin: string
  readonly folder: string
  readonly ports: Readonly<Record<Name, number>>
}

const asUser = ({ bin, folder }: Place, program: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("runuser", ["-u", "postgres", "--", join(bin, program), ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  })

const control = (place: Place, name: Name, ...args: ReadonlyArray<string>) =>
  asUser(place, "pg_ctl", "-D", join(place.folder, name), "-w", "-l", join(place.folder, `${name}.log`), ...args)

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      // It listens on a port and has no name in the file system.
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/**
 * Starts both servers. With `isSynchronous` a commit waits until the standby has it on its disk.
 *
 * They wait for no disk themselves: a killed process loses nothing that it gave to the system.
 */
export const start = async (bin: string, isSynchronous: boolean): Promise<Pair> => {
  const folder = mkdtempSync(join(tmpdir(), "lazaret-failover-"))
  chmodSync(folder, 0o777)
  const place = { bin, folder, ports: { first: await freePort(), second: await freePort() } }
  const { first, second } = place.ports
  asUser(place, "initdb", "-D", join(folder, "first"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
  const settings = ["fsync = off", "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", `port = ${first}`]
  appendFileSync(join(folder, "first", "postgresql.conf"), `${settings.join("\n")}\n`)
  control(place, "first", "start")
  asUser(place, "createdb", "-h", "127.0.0.1", "-p", String(first), "-U", "postgres", "lazaret")
  const origin = `host=127.0.0.1 port=${first} user=postgres application_name=second`
  asUser(
    place,
    "pg_basebackup",
    "-D",
    join(folder, "second"),
    "-R",
    "-X",
    "stream",
    "-c",
    "fast",
    "--no-sync",
    "-d",
    origin
  )
  appendFileSync(join(folder, "second", "postgresql.conf"), `port = ${second}\n`)
  control(place, "second", "start")
  if (isSynchronous) configure(place, "first", "ALTER SYSTEM SET synchronous_standby_names = 'second'")
  return pairOf(place, await address(place))
}

/** Runs a statement that changes the configuration, and lets the server read it. */
const configure = (place: Place, name: Name, statement: string): void => {
  const target = ["-h", "127.0.0.1", "-p", String(place.ports[name]), "-U", "postgres", "-d", "lazaret"]
  asUser(place, "psql", ...target, "-c", statement, "-c", "SELECT pg_reload_conf()")
}

/** The process of a server, by the file that it keeps. */
const pidOf = ({ folder }: Place, name: Name): number =>
  Number(readFileSync(join(folder, name, "postmaster.pid"), "utf8").split("\n", 1)[0])

interface Address {
  readonly port: number
  readonly lead: (name: Name) => void
  readonly cut: (isClosed: boolean) => void
  readonly close: () => Promise<void>
}

/** A proxy, as managed services have one, or as a name that leads elsewhere after a fail-over. */
const address = async ({ ports }: Place): Promise<Address> => {
  let target: Name = "first"
  let isClosed = false
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    if (isClosed) return void socket.destroy()
    const other = connect(ports[target], "127.0.0.1")
    for (const [one, its] of [
      [socket, other],
      [other, socket]
    ] as const) {
      open.add(one)
      one.pipe(its)
      one.on("error", () => its.destroy())
      one.on("close", () => {
        open.delete(one)
        its.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const cut = (closed: boolean) => {
    isClosed = closed
    for (const socket of open) socket.destroy()
  }
  return {
    // It listens on a port and has no name in the file system.
    port: (server.address() as AddressInfo).port,
    lead: (name) => void (target = name),
    cut,
    close: () => {
      cut(true)
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}

const pairOf = (place: Place, { close, cut, lead, port }: Address): Pair => ({
  url: `postgres://postgres@127.0.0.1:${port}/lazaret`,
  act: {
    kill: (name) => void process.kill(pidOf(place, name), "SIGKILL"),
    start: (name) => void control(place, name, "start"),
    promote: (name) => void control(place, name, "promote"),
    setReadOnly: (name, isReadOnly) =>
      configure(place, name, `ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? "on" : "off"}`),
    lead,
    cut
  },
  [Symbol.asyncDispose]: async () => {
    await close()
    for (const name of ["first", "second"] as const) {
      try {
        control(place, name, "stop", "-m", "immediate")
      } catch {
        // It was killed before.
      }
    }
    rmSync(place.folder, { recursive: true, force: true })
  }
})
