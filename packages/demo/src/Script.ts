/** The words and dates of the demonstration. */

/** The areas of the invented product, each with the subjects that its tests are about. */
export const areas = [
  { name: "accounts", subjects: ["signup", "session", "profile", "password"] },
  { name: "billing", subjects: ["invoice", "refund", "tax", "dunning"] },
  { name: "cart", subjects: ["basket", "coupon", "checkout", "wishlist"] },
  { name: "catalog", subjects: ["product", "category", "price", "review"] },
  { name: "inventory", subjects: ["stock", "warehouse", "reorder", "batch"] },
  { name: "notifications", subjects: ["email", "webhook", "digest", "preference"] },
  { name: "orders", subjects: ["order", "status", "history", "export"] },
  { name: "reports", subjects: ["sales", "cohort", "forecast", "dashboard"] },
  { name: "search", subjects: ["index", "query", "ranking", "suggestion"] },
  { name: "shipping", subjects: ["parcel", "label", "tracking", "rate"] }
] as const

/** The claims of the unit tests of a subject; no two alike. */
export const unitBehaviours: ReadonlyArray<string> = [
  "rounds_half_up",
  "rejects_negative_amounts",
  "keeps_currency",
  "splits_evenly",
  "sorts_by_date",
  "ignores_empty_input",
  "merges_duplicates",
  "survives_unicode",
  "parses_iso_dates",
  "formats_totals",
  "caches_results",
  "expires_after_a_day",
  "validates_required_fields",
  "strips_whitespace",
  "counts_each_item_once",
  "keeps_insertion_order",
  "refuses_unknown_fields",
  "applies_discounts_once",
  "handles_leap_years",
  "compares_case_insensitively",
  "truncates_long_names",
  "escapes_html",
  "reads_legacy_format",
  "writes_canonical_form",
  "is_idempotent",
  "returns_none_when_missing",
  "raises_on_overflow",
  "respects_time_zone",
  "limits_page_size",
  "resets_on_logout",
  "locks_after_five_attempts",
  "hashes_secrets",
  "retries_on_conflict",
  "batches_large_requests",
  "reports_every_error"
]

/** The claims of the integration tests of a subject; no two alike. */
export const integrationBehaviours: ReadonlyArray<string> = [
  "persistsAcrossRestart",
  "rollsBackOnFailure",
  "publishesEvent",
  "appliesMigration",
  "readsOwnWrites",
  "releasesConnections",
  "locksRowDuringUpdate",
  "replaysFromLog",
  "honoursTimeout",
  "paginatesLargeResults",
  "deduplicatesMessages"
]

/** The claims of the browser tests of a subject; no two alike. */
export const browserBehaviours: ReadonlyArray<string> = [
  "opens from the menu",
  "submits with the keyboard",
  "shows an error when offline",
  "keeps the draft after a reload"
]

/** The people who merge pull requests. */
export const people = [
  { id: 101, login: "ada-k" },
  { id: 102, login: "benedikt" },
  { id: 103, login: "chidi-o" },
  { id: 104, login: "dolores-m" },
  { id: 105, login: "emre" }
] as const

/** The deeds in the titles of pull requests. */
export const deeds = [
  "clearer error messages",
  "read prices from the new table",
  "drop the old endpoint",
  "faster lists",
  "fewer queries",
  "time zones",
  "upgrade the framework",
  "rename a column"
] as const
