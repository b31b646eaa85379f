/** Statistics on the wire: of one test (interface 2.5, 4.1.3) and of a repository (interface 2.10, 4.1.12). */
import type { Statistic } from "@lazaret/domain"

/** A series under its name, as the wire shows it. */
export const of =
  <S extends string>(stat: S) =>
  (series: Statistic.Series) => ({ value: series.value, value_over_time: series.valueOverTime, stat })
