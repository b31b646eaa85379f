/** The whole specification of an adapter of a hosting platform. */
import type { Case } from "./Case.ts"
import * as PortCases from "./PortCases.ts"
import * as PublicationCases from "./PublicationCases.ts"

/** Every case. A new law goes here before any adapter keeps it. They run under a test clock, at a simulated platform. */
export const cases: ReadonlyArray<Case> = [...PortCases.cases, ...PublicationCases.cases]
