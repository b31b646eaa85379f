/**
 * Commands for a shell, to be copied.
 *
 * @since 0.1.0
 */

/**
 * The command that puts the key in a file into the environment.
 *
 * @category conversions
 * @since 0.1.0
 */
export const exportKey = (path: string): string => `export LAZARET_TOKEN="$(cat ${quoted(path)})"`

/**
 * A word that a shell takes as it is.
 *
 * @category conversions
 * @since 0.1.0
 */
export const quoted = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
