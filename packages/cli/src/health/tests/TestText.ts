/** Texts about one test that several commands print. */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import * as Dashboard from "../../connection/Dashboard.ts"
import * as Session from "../../connection/Session.ts"
import { colourOf, paint, plain, type Terminal } from "../../terminal/Terminal.ts"

type Details = typeof Schemas.TestDetails.Type

/** The id of a test in its repository. */
export interface One extends Repository.RepositoryRef {
  readonly test_id: string
}

/** The page of a test in the dashboard. */
export const linkOf = ({ connection }: Session.Session, { test_id, ...ref }: One): string =>
  Dashboard.test(connection.url, ref, test_id)

/** The name of a test and its health. */
export const headingOf = (
  terminal: Terminal,
  { health_status, test_name }: Pick<Details, "health_status" | "test_name">
): string =>
  `${paint(terminal, "bold", plain(test_name))} is ${paint(terminal, colourOf(health_status), health_status)}`

/** A ratio in percent. */
export const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`
