/** Openings of docstrings and test titles that leave out what they are about. */

/**
 * Yields the lines of a source on which a docstring begins with a relative pronoun in place of its subject, or a test title
 * with a predicate that makes sense only after the name of its group.
 */
export const withoutSubject = ({
  path,
  text
}: {
  readonly path: string
  readonly text: string
}): ReadonlyArray<number> =>
  [...text.matchAll(docstring), ...(/\.test\.tsx?$/u.test(path) ? text.matchAll(title) : [])].map(
    ({ index }) => text.slice(0, index).split("\n").length
  )

const docstring = /\/\*\*(?:\s*\n\s*\*)?[ \t]+(?:What|Who|Whom|Whoever|Whose|Which|That|Where)\b/gu

const predicates = [
  "is are has have does do may can cannot never that also wherever",
  "shows show says say keeps keep refuses finds find tells tell goes calls leaves takes take yields waits stays",
  "lets asks needs begins knows replaces removes cuts ends starts lists puts judges unpacks"
]

const title = new RegExp(
  `\\b(?:it|test)(?:\\.\\w+)*(?:\\((?:[^()"\`]|\\(\\))*\\))?\\(\\s*["\`](?:${predicates.join(" ").replaceAll(" ", "|")})\\b`,
  "gu"
)
