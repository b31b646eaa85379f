/** Names of tests of runners that find tests in files. */
import { TestIdentity } from "@lazaret/domain"
import * as FailureText from "../text/FailureText.ts"
import * as TestName from "./TestName.ts"

/** The parts of a test name; empty parts are omitted. */
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

/** The name of a failure outside of all tests and files. */
export const testRun = TestIdentity.testRun
