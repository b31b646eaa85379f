/** The command of a stress run: a template with a placeholder for what it runs. */
import { Result } from "effect"

/** The tests or files that a template is filled with. */
export interface Subjects {
  readonly tests: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

const placeholders = ["{tests}", "{pattern}", "{expression}", "{files}"] as const

/**
 * The command for the subjects; a sentence when the template does not name them.
 *
 * **Details**
 *
 * - `{tests}` and `{files}`, alone in an argument: one argument for each name.
 * - `{pattern}`: a regular expression for the last parts of the names, for `vitest -t`, `jest -t` or `go test -run`.
 * - `{expression}`: the last parts of the names, joined by `or`, for `pytest -k`.
 */
export const fill = (
  template: ReadonlyArray<string>,
  { files, tests }: Subjects
): Result.Result<ReadonlyArray<string>, string> => {
  const used = placeholders.filter((each) => template.some((argument) => argument.includes(each)))
  const isOfFiles = files.length > 0
  const wanted = placeholders.filter((each) => (each === "{files}") === isOfFiles)
  if (!used.some((each) => wanted.includes(each))) {
    return Result.fail(`The command has no placeholder for what it runs: write ${wanted.join(" or ")} in it.`)
  }
  const other = used.find((each) => !wanted.includes(each))
  if (other !== undefined) {
    const source = isOfFiles ? "--changed-files names files and no tests" : "--changed-files is needed for files"
    return Result.fail(`${other} cannot be filled: ${source}.`)
  }
  const inside = template.find((argument) =>
    ["{tests}", "{files}"].some((each) => argument !== each && argument.includes(each))
  )
  if (inside !== undefined) {
    return Result.fail(`"${inside}" must be the placeholder alone: each name becomes an argument of its own.`)
  }
  const parts = [...new Set(tests.map(lastPartOf))]
  const values = {
    "{pattern}": `(${parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)).join("|")})$`,
    "{expression}": [...new Set(parts.map((part) => part.replace(/\[.*$/u, "")))].join(" or ")
  }
  return Result.succeed(
    template.flatMap((argument) =>
      argument === "{tests}"
        ? tests
        : argument === "{files}"
          ? files
          : [
              argument
                .replaceAll("{pattern}", () => values["{pattern}"])
                .replaceAll("{expression}", () => values["{expression}"])
            ]
    )
  )
}

/** The part of a name that runners select by: the last title, function or method. */
const lastPartOf = (name: string): string => {
  const bracket = name.indexOf("[")
  const [start, end] = bracket < 1 ? [name, ""] : [name.slice(0, bracket), name.slice(bracket)]
  const separator = [/ [>›] /u, /::/u, /[.#/]/u].find((each) => each.test(start))
  return `${separator === undefined ? start : (start.split(separator).at(-1) ?? start)}${end}`
}
