/** A supervised PostgreSQL in a data folder, with the binaries that come through npm. */
export * from "./EmbeddedPostgres.ts"
export * from "./EmbeddedPostgresError.ts"
