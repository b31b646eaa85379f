/** Several servers of Lazaret on one database: each has its own connections and remembers its own. */
import { Stores } from "@lazaret/store"
import { PostgresClient, PostgresDriver, RepositoryDirectory } from "@lazaret/store-postgres"
import { Layer, Redacted } from "effect"

/** All ports of one server; a block has a base after this many chunks. */
export const layer = (url: string, chunksPerBase: number) =>
  Stores.layer.pipe(
    Layer.provideMerge(PostgresDriver.layerWith({ chunksPerBase })),
    Layer.provideMerge(RepositoryDirectory.layer),
    Layer.provideMerge(PostgresClient.layer(Redacted.make(url)))
  )
