/** Names of tests of runners that find tests in files. */
import * as FailureText from "../FailureText.ts"
import * as TestName from "../TestName.ts"

/** What makes up a test's name; empty parts are left out. */
export interface Parts {
  readonly project?: string | null | undefined
  readonly file: string | null
  readonly titles: ReadonlyArray<string>
}

/** `<project> › <file> › <title>`, the parts that exist (semantics of names). */
export const of = ({ file, project, titles }: Parts): string => {
  const title = titles.filter((each) => each.trim() !== "").join(TestName.separator)
  return FailureText.storable(TestName.joined([project ?? "", file ?? ""], title))
}

/** The name of what fails outside of every test and file. */
export const testRun = "test run"
