/** The storage ports of Lazaret on PostgreSQL. */
export * from "./DatabaseError.ts"
export * as Migrations from "./Migrations.ts"
export * as Parameter from "./Parameter.ts"
export * from "./PostgresClient.ts"
export * as PostgresDriver from "./PostgresDriver.ts"
export * as PostgresStores from "./PostgresStores.ts"
export * from "./RepositoryDirectory.ts"
export * as Verification from "./Verification.ts"
