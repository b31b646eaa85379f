/**
 * A PostgreSQL of the benchmark's own, with the settings and the durability that the product ships: what it acknowledges
 * is on disk.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddedPostgres } from "@lazaret/postgres-embedded"
import { HostingPlatform, Services as AllServices } from "@lazaret/services"
import { PostgresClient, PostgresStores } from "@lazaret/store-postgres"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { Client } from "pg"

/** The running server. */
export interface Server {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Starts a server in a new folder, which is thrown away when it closes. */
export const start = async (): Promise<Server> => {
  const folder = mkdtempSync(join(tmpdir(), "lazaret-bench-"))
  const runtime = ManagedRuntime.make(EmbeddedPostgres.layer({ folder }))
  const { url } = await runtime.runPromise(EmbeddedPostgres)
  const close = async (): Promise<void> => {
    await runtime.dispose()
    rmSync(folder, { recursive: true, force: true })
  }
  process.once("SIGINT", () => {
    process.exitCode = 130
    void close().finally(() => process.exit())
  })
  return { url, close }
}

/** The use cases, and the stores below them. */
export type Services = Layer.Success<ReturnType<typeof layer>>

/** A database with the use cases over it, and connections of its own for what they are compared with. */
export interface Database {
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
  readonly connections: readonly [Client, ...ReadonlyArray<Client>]
  readonly close: () => Promise<void>
}

/** Makes a database with all tables. */
export const create = async (server: Server, name: string): Promise<Database> => open(await createEmpty(server, name))

/** Makes a database without tables, and yields its URL. */
export const createEmpty = async (server: Server, name: string): Promise<string> => {
  const administrator = await connect(server.url)
  await administrator.query(`CREATE DATABASE ${name} ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0`)
  await administrator.end()
  const url = new URL(server.url)
  url.pathname = name
  return url.href
}

/** Connects to a database, whose tables are made where they are missing. */
const open = async (url: string): Promise<Database> => {
  const runtime = ManagedRuntime.make(layer(url))
  await runtime.runPromise(Effect.void)
  const another = () => connect(url)
  const connections = await Promise.all([another(), another(), another(), another()])
  const close = async (): Promise<void> => {
    await Promise.all(connections.map((connection) => connection.end()))
    await runtime.dispose()
  }
  return { run: (effect) => runtime.runPromise(effect), connections, close }
}

const layer = (url: string) => {
  const stores = PostgresStores.layer({ url: Redacted.make(url) })
  const services = AllServices.layer.pipe(Layer.provideMerge(Layer.mergeAll(stores, HostingPlatform.layerOff)))
  return Layer.mergeAll(services, PostgresClient.layer(Redacted.make(url)))
}

const connect = async (url: string): Promise<Client> => {
  const { hostname, password, pathname, port, searchParams, username } = new URL(url)
  const client = new Client({
    host: searchParams.get("host") ?? hostname,
    user: username,
    password,
    database: pathname.slice(1),
    ...(port !== "" && { port: Number(port) })
  })
  await client.connect()
  return client
}
