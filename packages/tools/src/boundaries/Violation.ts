/** A broken rule of the walls between packages. */

/** The place where a rule is broken, and the sentence that says which. */
export interface Violation {
  readonly path: string
  readonly line: number
  readonly message: string
}

/** A violation as one line that editors and terminals make clickable. */
export const toLine = ({ line, message, path }: Violation): string => `${path}:${line} ${message}`
