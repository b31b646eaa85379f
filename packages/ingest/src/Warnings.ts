/** The sentences that a parser says besides its result. */

/** Gathers sentences; the first `maximum` are kept, the rest is counted. */
export interface Warnings {
  readonly add: (sentence: string) => void
  readonly all: () => ReadonlyArray<string>
}

/** No sentences yet. */
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

/** A name in quotation marks, short enough for a sentence. */
export const quoted = (name: string): string => `"${shortened(name)}"`

/** A name of at most 100 characters: itself, or its beginning and an ellipsis. */
export const shortened = (name: string): string => (name.length <= 100 ? name : `${name.slice(0, 99).toWellFormed()}…`)

/** What became of characters that cannot be kept, the first of them in a line. */
export const replaced = (line: number): string => `each is replaced by U+FFFD, the first in line ${line}.`
