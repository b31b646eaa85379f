/** The warnings of a parser. */

/** Collects warnings; keeps the first `maximum` and counts the rest. */
export interface Warnings {
  readonly add: (sentence: string) => void
  readonly all: () => ReadonlyArray<string>
}

/** An empty list of warnings. */
export const make = (maximum: number): Warnings => {
  const kept: Array<string> = []
  let more = 0
  return {
    add: (sentence) => {
      if (kept.length < maximum) kept.push(sentence)
      else more += 1
    },
    all: () => (more === 0 ? kept : [...kept, `${more} more warnings were left out.`])
  }
}

/** A number with its noun: `1 test`, `2 tests`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** A name in quotation marks, truncated for a sentence. */
export const quoted = (name: string): string => `"${shortened(name)}"`

/** A name of at most 100 characters: itself, or its beginning and an ellipsis. */
export const shortened = (name: string): string => (name.length <= 100 ? name : `${name.slice(0, 99).toWellFormed()}…`)

/** The warning about characters that were replaced because they cannot be stored; names the line of the first. */
export const replaced = (line: number): string => `each is replaced by U+FFFD, the first in line ${line}.`
