/** The docstring of each error: when it occurs, and what its receiver does about it. */
import type { TextFile } from "../Workspace.ts"
import { lineAt } from "./ModuleImport.ts"
import type { Violation } from "./Violation.ts"

const declaration = /(\/\*\*(?:(?!\*\/)[^])*\*\/\n)?export class (\w+) extends (?:Schema|Data)\.Tagged\w*Error/gu

/** Every exported error of a file whose docstring has no line "**To do:**". */
export const missing = ({ path, text }: TextFile): ReadonlyArray<Violation> =>
  Array.from(text.matchAll(declaration)).flatMap(({ 1: docs = "", 2: name, index }) =>
    whatToDo.test(docs)
      ? []
      : [
          {
            path,
            line: lineAt(text, index + docs.length),
            message: `"${name}" needs a docstring with "**To do:**"`
          }
        ]
  )

const whatToDo = /\*\*To do:\*\* \S/u
