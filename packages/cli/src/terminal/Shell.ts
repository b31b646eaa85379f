/** Commands for a shell, to be copied. */

/** The command that puts the key in a file into the environment. */
export const exportKey = (path: string): string => `export LAZARET_TOKEN="$(cat ${quoted(path)})"`

/** A word that a shell takes as it is. */
export const quoted = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
