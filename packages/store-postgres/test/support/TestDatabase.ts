/** A database of its own for every test file. */
import { PostgresClient, RepositoryDirectory } from "@lazaret/store-postgres"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import * as TestServer from "./TestServer.ts"

/** The URL of a new database with all tables. */
export const url = Effect.suspend(() => {
  const { template, url: server } = inject("postgres")
  return Effect.map(TestServer.createDatabase(server, template), (name) => TestServer.databaseUrl(server, name))
})

/** A client of a new database with all tables. */
export const layer = Layer.unwrap(Effect.map(url, (each) => PostgresClient.layer(Redacted.make(each))))

/** The same, with the directory of repositories. */
export const layerDirectory = RepositoryDirectory.layer.pipe(Layer.provideMerge(layer))
