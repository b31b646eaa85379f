/** Words of sentences that depend on a number. */

/** A number with its noun: `1 failure`, `2 failures`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
