/** Quarantines on the wire (interface 2.9, 4.1.8 to 4.1.11). */
import type { Schemas } from "@lazaret/api"
import { Quarantine } from "@lazaret/domain"
import type {
  Checked,
  Debt,
  Listing,
  NewLife,
  NewQuarantine,
  QuarantinedTest as Row,
  QuarantinesRequest
} from "@lazaret/services"
import type { Schema } from "effect"

type Query = Schema.Struct.Type<typeof Schemas.QuarantinesQuery>

/** The list that a query asks for. */
export const requestOf = (query: Query): QuarantinesRequest => ({
  branch: query.branch ?? null,
  testId: query.test_id ?? null,
  source: query.source ?? null,
  cursor: query.cursor ?? null,
  perPage: query.per_page ?? null
})

/** The quarantine that a body asks for, by hand. */
export const newOf = (body: typeof Schemas.CreateQuarantine.Type, by: string): NewQuarantine => ({
  testName: body.test_name,
  reason: body.reason,
  branch: body.branch ?? null,
  source: "manual",
  by
})

/** The page of a listing. */
export const pageOf =
  (perPage: number | null) =>
  (listing: Listing.Listing<Row>): typeof Schemas.QuarantinesPage.Type => ({
    size: listing.rows.length,
    per_page: perPage,
    quarantined_tests: listing.rows.map(of)
  })

/** A quarantine as the wire shows it. */
export const of = (row: Row): typeof Schemas.QuarantinedTest.Type => ({
  id: row.id,
  test_name: row.testName,
  test_id: row.testId,
  reason: row.reason,
  branch: row.branch,
  created_at: row.createdAt,
  source: row.source,
  created_by: row.createdBy,
  is_recovered: row.isRecovered
})

/** The split names as the wire shows them. */
export const checkedOf = (checked: Checked): typeof Schemas.CheckedQuarantines.Type => ({
  quarantined_tests_names: checked.quarantined,
  non_quarantined_tests_names: checked.others
})

/** The life that a body gives. */
export const lifeOf = (body: typeof Schemas.SetQuarantineLife.Type, by: string): NewLife => ({
  terms: {
    expiresAt: body.expires_at,
    owner: body.owner,
    ticket: body.ticket,
    scope: body.scope
  },
  by
})

/** The terms that a body changes: those that it names. */
export const changeOf = (body: typeof Schemas.ChangeQuarantineLife.Type, by: string): NewLife => {
  const { expires_at, ...others } = body
  return { terms: { ...others, ...(expires_at === undefined ? {} : { expiresAt: expires_at }) }, by }
}

/** The life of a quarantine as the wire shows it. */
export const livingOf = (row: Quarantine.Quarantine): typeof Schemas.QuarantineLife.Type => ({
  quarantine_id: row.id,
  test_name: row.testName,
  branch: row.branch,
  expires_at: row.expiresAt,
  remind_at: row.remindAt,
  owner: row.owner,
  ticket: row.ticket,
  scope: row.scope
})

/** The page of the lives of a listing. */
export const livesOf =
  (perPage: number | null) =>
  (listing: Listing.Listing<Row>): typeof Schemas.QuarantineLivesPage.Type => ({
    size: listing.rows.length,
    per_page: perPage,
    lives: listing.rows.map(livingOf)
  })

/** A debt report as the wire shows it. */
export const debtOf = ({ items, owners, total }: Debt): typeof Schemas.QuarantineDebt.Type => ({
  total,
  size: items.length,
  blocked_runs: items.reduce((sum, item) => sum + item.blockedRuns, 0),
  owners: owners.map(({ blockedRuns, oldestAt, owner, quarantines }) => ({
    owner,
    quarantines,
    blocked_runs: blockedRuns,
    oldest_created_at: oldestAt
  })),
  quarantines: items.map(({ quarantine, ...item }) => ({
    id: quarantine.id,
    test_name: quarantine.testName,
    test_id: Quarantine.testIdOf(quarantine),
    reason: quarantine.reason,
    branch: quarantine.branch,
    scope: quarantine.scope,
    source: quarantine.source,
    created_by: quarantine.createdBy,
    created_at: quarantine.createdAt,
    age_days: item.ageDays,
    expires_at: quarantine.expiresAt,
    ticket: quarantine.ticket,
    owner: quarantine.owner,
    owners: item.owners,
    health_status: item.status,
    blocked_runs: item.blockedRuns,
    last_blocked_at: item.lastBlockedAt,
    new_failures: item.newFailures,
    latest_failure: item.latestFailure
  }))
})
