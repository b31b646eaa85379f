/** The rule of new tests of forks: how many identities the reports of forks may add to a repository on one day. Pure. */
import { Instant, Report } from "@lazaret/domain"

/** How many identities reports of forks added on a UTC day. */
export interface ForkTests {
  readonly day: number
  readonly added: number
}

/** No identities, on a day in the past. */
export const none: ForkTests = { day: 0, added: 0 }

/**
 * The count after a report that adds `added` identities, or null when there would be more than `Report.mostTestsOfForks` on its day.
 *
 * **Details**
 *
 * The day is that of the arrival, so that no report can name a past one. A report with an arrival before the day of the count is of a
 * server whose clock is behind, and counts for the later day.
 */
export const take = (
  count: ForkTests,
  { receivedAt }: Pick<Report.Report, "receivedAt">,
  added: number
): ForkTests | null => {
  const day = Math.max(count.day, Instant.utcDay(receivedAt))
  const all = added + (day === count.day ? count.added : 0)
  return added > 0 && all > Report.mostTestsOfForks ? null : { day, added: all }
}
