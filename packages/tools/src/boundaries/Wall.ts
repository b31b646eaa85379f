/**
 * The table of the architecture as values: the packages that each package may import.
 *
 * The rules are in `docs/explanation/architecture.md`; a package that has no row here is refused, so that a new package
 * cannot slip past the table.
 */

/**
 * The packages of ours that each package may import, by folder name.
 *
 * **Details**
 *
 * `server` is the only shipped package that names an adapter. `benchmarks` is private and measures everything, `tools`
 * is private and stands outside: its checks must work while the packages are broken; only the reference reads them.
 */
export const ours: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: [],
  queue: ["domain"],
  ingest: ["domain", "queue"],
  store: ["domain", "queue"],
  "store-postgres": ["domain", "store"],
  "postgres-embedded": [],
  "store-conformance": ["domain", "queue", "store"],
  services: ["domain", "queue", "store"],
  "forge-github": ["domain", "queue", "services"],
  "forge-gitlab": ["domain", "queue", "services"],
  "forge-simulated": [],
  "forge-conformance": ["domain", "queue", "store", "services", "forge-simulated"],
  api: ["domain", "queue"],
  http: ["api", "domain", "queue", "ingest", "services"],
  web: [],
  cli: ["api", "domain", "ingest"],
  demo: ["domain", "cli"],
  server: [
    "domain",
    "store",
    "store-postgres",
    "postgres-embedded",
    "services",
    "forge-github",
    "forge-gitlab",
    "api",
    "http",
    "web",
    "cli",
    "demo"
  ],
  integrations: ["cli", "forge-simulated", "server"],
  benchmarks: [
    "domain",
    "forge-simulated",
    "queue",
    "ingest",
    "store",
    "store-postgres",
    "postgres-embedded",
    "store-conformance",
    "services",
    "http",
    "server"
  ],
  tools: ["api", "cli", "domain", "queue", "http", "ingest", "server", "services", "store-conformance"]
}

/**
 * The packages of ours that a package may load with `import()` when they are installed, by folder name. They are optional
 * peers in its manifest.
 */
export const loaded: Readonly<Record<string, ReadonlyArray<string>>> = { cli: ["server"] }

/** Our packages whose types the files for a browser may import. Their code must not reach the bundle. */
export const typesOfBundled: ReadonlySet<string> = new Set(["@lazaret/api"])

/** The modules that only some packages may import: a module is meant with everything below it. */
export const reserved: ReadonlyArray<{ readonly module: string; readonly to: ReadonlyArray<string> }> = [
  { module: "effect/sql", to: ["store-postgres", "benchmarks"] },
  { module: "@effect/sql-pg", to: ["store-postgres", "benchmarks"] },
  { module: "effect/http", to: ["api", "http", "cli", "server", "forge-gitlab", "benchmarks"] },
  { module: "effect/http-api", to: ["api", "http", "server", "benchmarks"] }
]

/** The modules of Effect that hold data and pure functions only: all that {@link dataOnly} may take from it. */
export const dataModules: ReadonlySet<string> = new Set([
  "Array",
  "BigInt",
  "Boolean",
  "Brand",
  "Combiner",
  "Data",
  "DateTime",
  "Duration",
  "Encoding",
  "Equal",
  "Equivalence",
  "Function",
  "Hash",
  "HashMap",
  "HashSet",
  "Iterable",
  "Match",
  "Number",
  "Option",
  "Order",
  "Ordering",
  "Pipeable",
  "Predicate",
  "Record",
  "Reducer",
  "RegExp",
  "Result",
  "Schema",
  "SchemaAST",
  "SchemaGetter",
  "SchemaIssue",
  "SchemaParser",
  "SchemaTransformation",
  "String",
  "Struct",
  "Tuple",
  "Types",
  "absurd",
  "flow",
  "hole",
  "identity",
  "pipe"
])

/** The other packages that pure packages may import: one algorithm (version 5 UUIDs) and one file format (YAML). */
export const pureLibraries: ReadonlySet<string> = new Set(["uuid", "yaml"])

/** The modules that the `testing` entries of pure packages may import besides: generators. */
export const testingModules: ReadonlySet<string> = new Set(["Arbitrary"])

/** The packages that take only data modules from Effect. */
export const dataOnly: ReadonlySet<string> = new Set(["domain", "queue"])

/** The packages that read no clock: they yield the same for the same arguments, always and everywhere. */
export const pure: ReadonlySet<string> = new Set(["domain", "queue", "ingest"])
