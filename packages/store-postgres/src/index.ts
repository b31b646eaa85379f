/** The storage ports of Lazaret on PostgreSQL. */
export * from "./database/DatabaseError.ts"
export * as Migrations from "./database/Migrations.ts"
export * as Parameter from "./database/Parameter.ts"
export * from "./database/PostgresClient.ts"
export * as PostgresDriver from "./adapters/PostgresDriver.ts"
export * as PostgresStores from "./adapters/PostgresStores.ts"
export * from "./repository/RepositoryDirectory.ts"
export * as Verification from "./upkeep/Verification.ts"
