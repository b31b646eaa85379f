/**
 * The specification of the ports that are rules over plain rows: keys, sessions, quarantines, events, leases.
 *
 * These rules read and write by the driver alone. A driver that keeps the law of `DriverCases` keeps these rules too, so one
 * driver is enough to test them.
 */
import * as AuditCases from "./access/AuditCases.ts"
import * as EventCases from "./events/EventCases.ts"
import * as IssueCases from "./platform/IssueCases.ts"
import * as KeyCases from "./access/KeyCases.ts"
import * as NotifierCases from "./events/NotifierCases.ts"
import * as OwnersCases from "./health/OwnersCases.ts"
import * as PinCases from "./access/PinCases.ts"
import * as PublicationCases from "./platform/PublicationCases.ts"
import * as QuarantineCases from "./quarantine/QuarantineCases.ts"
import * as QuarantineLifeCases from "./quarantine/QuarantineLifeCases.ts"
import * as ReadingCases from "./platform/ReadingCases.ts"
import * as RoleCases from "./access/RoleCases.ts"
import * as SessionCases from "./access/SessionCases.ts"
import * as ShardCases from "./insight/ShardCases.ts"
import * as StressCases from "./insight/StressCases.ts"
import * as CertificationCases from "./platform/CertificationCases.ts"
import * as SightingCases from "./platform/SightingCases.ts"
import * as SignInCodeCases from "./access/SignInCodeCases.ts"
import * as SubscriptionCases from "./events/SubscriptionCases.ts"
import * as WideNotifierCases from "./events/WideNotifierCases.ts"
import type { Case } from "./law/Case.ts"

/** Every case of a rule over plain rows. */
export const cases: ReadonlyArray<Case> = [
  ...QuarantineCases.cases,
  ...QuarantineLifeCases.cases,
  ...EventCases.cases,
  ...SubscriptionCases.cases,
  ...NotifierCases.cases,
  ...WideNotifierCases.cases,
  ...OwnersCases.cases,
  ...PublicationCases.cases,
  ...IssueCases.cases,
  ...ReadingCases.cases,
  ...SightingCases.cases,
  ...CertificationCases.cases,
  ...KeyCases.cases,
  ...AuditCases.cases,
  ...SessionCases.cases,
  ...SignInCodeCases.cases,
  ...RoleCases.cases,
  ...PinCases.cases,
  ...ShardCases.cases,
  ...StressCases.cases
]
