/** The advice on a test: the next step of the person who looks at it, in one sentence. */
import type { Wire } from "@lazaret/api"

type Status = Wire.TestDetails["health_status"]

/** The sentence for a health status and the quarantines of the test. */
export const adviceFor = (status: Status, quarantines: ReadonlyArray<Wire.QuarantinedTest>): string => {
  const [first] = quarantines
  if (first === undefined) return withoutQuarantine[status]
  if (quarantines.every((each) => each.is_recovered)) return "It has recovered: release it from quarantine."
  const where = first.branch === null ? "" : ` on ${first.branch}`
  return status === "healthy"
    ? "It is healthy, but not for long enough: leave it in quarantine until it has recovered."
    : `Its failures do not fail a build${where}: fix it before somebody relies on it again.`
}

const withoutQuarantine: { readonly [S in Status]: string } = {
  healthy: "When it fails on a change, look at the change first.",
  flaky:
    "Its failure alone says nothing about a change: run the job again. Fix it, or quarantine it until it is fixed.",
  broken: "It fails on the default branch, with and without your change: fix it, or revert the change that broke it."
}
