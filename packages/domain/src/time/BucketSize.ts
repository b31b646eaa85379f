/**
 * The bins of test time series: 1h, 4h, 1d or 2d, adapting to the window (interface 4.1.3, 8).
 *
 * Buckets are aligned to the Unix epoch in UTC, not to the window: the same execution falls into the same bucket
 * whatever the window, and a window that moves by a minute does not move every bar of a chart.
 */
import { Schema } from "effect"
import * as Instant from "./Instant.ts"
import * as TimeWindow from "./TimeWindow.ts"

/** Schema of a bucket size (interface 8). */
export const BucketSize = Schema.Literals(["1h", "4h", "1d", "2d"])

/** A bucket size (interface 8). */
export type BucketSize = typeof BucketSize.Type

/**
 * The most buckets that a series has, unless even the largest size needs more: two days by the hour are 48, and more
 * bars than that are no longer told apart on a small chart (our choice, see
 * `docs/explanation/what-is-not-specified.md`).
 */
export const maximumBuckets = 48

const widths: { readonly [S in BucketSize]: number } = {
  "1h": Instant.hour,
  "4h": 4 * Instant.hour,
  "1d": Instant.day,
  "2d": 2 * Instant.day
}

/**
 * The width of a bucket in milliseconds.
 *
 * @example
 * ```ts
 * import { BucketSize } from "@lazaret/domain"
 *
 * BucketSize.milliseconds("4h") // => 14_400_000
 * ```
 */
export const milliseconds = (size: BucketSize): number => widths[size]

/**
 * The smallest size that covers a window with at most {@link maximumBuckets} whole buckets, else `2d`.
 *
 * **Gotchas**
 *
 * Counted after widening: 48 hours from half past need 49 buckets of 1h, and get 4h.
 *
 * @example
 * ```ts
 * import { BucketSize, Instant } from "@lazaret/domain"
 *
 * BucketSize.choose({ start: 0, end: 2 * Instant.day }) // => "1h"
 * BucketSize.choose({ start: 1, end: 2 * Instant.day + 1 }) // => "4h"
 * BucketSize.choose({ start: 0, end: 400 * Instant.day }) // => "2d"
 * ```
 */
export const choose = (window: TimeWindow.TimeWindow): BucketSize =>
  BucketSize.literals.find((size) => count(window, size) <= maximumBuckets) ?? "2d"

/**
 * The start of the bucket that holds an instant.
 *
 * @example
 * ```ts
 * import { BucketSize } from "@lazaret/domain"
 *
 * BucketSize.floor(Date.UTC(2026, 0, 1, 15, 30), "1h") // => Date.UTC(2026, 0, 1, 15)
 * ```
 */
export const floor = (at: Instant.Instant, size: BucketSize): Instant.Instant => at - (at % widths[size])

/**
 * The first bucket boundary that is not before an instant.
 *
 * @example
 * ```ts
 * import { BucketSize } from "@lazaret/domain"
 *
 * BucketSize.ceil(Date.UTC(2026, 0, 1, 15, 30), "1h") // => Date.UTC(2026, 0, 1, 16)
 * BucketSize.ceil(Date.UTC(2026, 0, 1, 16), "1h") // => Date.UTC(2026, 0, 1, 16)
 * ```
 */
export const ceil = (at: Instant.Instant, size: BucketSize): Instant.Instant =>
  Math.ceil(at / widths[size]) * widths[size]

/**
 * The smallest window of whole buckets that covers a window.
 *
 * @example
 * ```ts
 * import { BucketSize, Instant } from "@lazaret/domain"
 *
 * BucketSize.widen({ start: 1, end: Instant.hour + 1 }, "1h") // => { start: 0, end: 2 * Instant.hour }
 * ```
 */
export const widen = (window: TimeWindow.TimeWindow, size: BucketSize): TimeWindow.TimeWindow =>
  TimeWindow.widen(window, widths[size])

/** The number of buckets that cover a window. */
export const count = (window: TimeWindow.TimeWindow, size: BucketSize): number =>
  (ceil(window.end, size) - floor(window.start, size)) / widths[size]

/**
 * The buckets that cover a window, oldest first: each ends where the next one starts.
 *
 * @example
 * ```ts
 * import { BucketSize, Instant } from "@lazaret/domain"
 *
 * BucketSize.buckets({ start: 1, end: Instant.hour + 1 }, "1h")
 * // => [{ start: 0, end: Instant.hour }, { start: Instant.hour, end: 2 * Instant.hour }]
 * ```
 */
export const buckets = (window: TimeWindow.TimeWindow, size: BucketSize): Array<TimeWindow.TimeWindow> => {
  const width = widths[size]
  const first = floor(window.start, size)
  return Array.from({ length: count(window, size) }, (_, index) => ({
    start: first + index * width,
    end: first + (index + 1) * width
  }))
}

/**
 * The index in {@link buckets} of the bucket that holds an instant; -1 when none does.
 *
 * @example
 * ```ts
 * import { BucketSize, Instant } from "@lazaret/domain"
 *
 * const window = { start: 0, end: 2 * Instant.hour }
 * BucketSize.indexOf(window, "1h", Instant.hour) // => 1
 * BucketSize.indexOf(window, "1h", 2 * Instant.hour) // => -1
 * ```
 */
export const indexOf = (window: TimeWindow.TimeWindow, size: BucketSize, at: Instant.Instant): number => {
  const index = Math.floor((at - floor(window.start, size)) / widths[size])
  return index >= 0 && index < count(window, size) ? index : -1
}
