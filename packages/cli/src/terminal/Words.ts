/** Words of sentences that depend on a number. */

/** A number with its noun: `1 failure`, `2 failures`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** A time in seconds: `45 s`, `12 min`, `3 h 5 min`. */
export const time = (seconds: number): string => {
  if (seconds < 59.5) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
