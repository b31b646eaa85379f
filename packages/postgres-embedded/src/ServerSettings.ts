/** The settings of the server. */

/**
 * Every setting that differs from PostgreSQL's own, each with its reason.
 *
 * **Details**
 *
 * What is acknowledged is on disk (`fsync`, `synchronous_commit`, `full_page_writes`: named here because the rest of the
 * product relies on them). The server listens on its socket alone.
 */
export const defaults: Readonly<Record<string, string>> = {
  listen_addresses: "",
  unix_socket_permissions: "0700",
  max_connections: "40",
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  // Enough for the blocks of 200,000 identities; the system's cache holds the rest.
  shared_buffers: "256MB",
  // An upload sorts and joins some thousand rows.
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  // Bursts of uploads are not interrupted by checkpoints; after a hard stop at most this much is replayed.
  max_wal_size: "2GB",
  checkpoint_timeout: "15min",
  // The packages are built without lz4.
  wal_compression: "pglz",
  // Statements are short: compiling them, or spreading them over workers, costs more than it gains. Parallel workers also
  // need /dev/shm, which containers keep small.
  jit: "off",
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  // Nothing replicates by rows.
  max_logical_replication_workers: "0",
  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "%m [%p] "
}

/** The settings as arguments of the server's command line. */
export const toArguments = (settings: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
