/**
 * Short names for executions and commits while they are folded and packed.
 *
 * The fold of health compares commits and remembers executions by name; it does not care which names. So a commit is its
 * number in the repository, and an execution the number of its upload with the ordinal of its id, both as text.
 */

/** The surrogate of an execution's id. */
export const execution = (upload: number, ordinal: number): string => `${upload}.${ordinal}`

/** The upload behind the surrogate of an execution. */
export const uploadOf = (id: string): number => Number(id.slice(0, id.indexOf(".")))

/** The ordinal behind the surrogate of an execution. */
export const ordinalOf = (id: string): number => Number(id.slice(id.indexOf(".") + 1))

/** The surrogate of a commit. The same number always gives the same string, which is the quickest to compare. */
export const commit = (number: number): string => {
  const known = commits[number % remembered]
  if (known !== undefined && known.number === number) return known.name
  const name = String(number)
  commits[number % remembered] = { number, name }
  return name
}

/** The number behind the surrogate of a commit. */
export const commitOf = (name: string): number => Number(name)

const remembered = 4096

const commits: Array<{ readonly number: number; readonly name: string } | undefined> = []
