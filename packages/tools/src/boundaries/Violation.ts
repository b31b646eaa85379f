/**
 * A broken rule of the walls between packages.
 *
 * @since 0.1.0
 */

/**
 * Where a rule is broken, and the sentence that says which.
 *
 * @category models
 * @since 0.1.0
 */
export interface Violation {
  readonly path: string
  readonly line: number
  readonly message: string
}

/**
 * A violation as one line that editors and terminals make clickable.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toLine = ({ line, message, path }: Violation): string => `${path}:${line} ${message}`
