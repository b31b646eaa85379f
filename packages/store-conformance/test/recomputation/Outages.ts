/** The naive outage rule: each job run is judged from all the runs of its job before it, over plain names of tests. */
import { type Outage, Text } from "@lazaret/domain"
import { type Fact, nameOf } from "./Fact.ts"

/** The judgement on a failed execution because of its run. */
export interface Said {
  readonly isOutage: boolean
  readonly isExcused: boolean
  readonly isMany: boolean
}

interface Run {
  readonly key: string
  readonly job: string
  readonly commit: string
  readonly finish: number
  readonly members: ReadonlyArray<Fact>
  readonly failed: ReadonlySet<string>
  readonly passed: ReadonlySet<string>
  readonly ran: ReadonlySet<string>
}

/** `expected` is how many tests ran on the reference. */
interface JudgedRun extends Run, Said {
  readonly expected: number
}

/** The judgements on the failed executions of the default branch. */
export const judge = (facts: ReadonlyArray<Fact>, policy: Outage.OutagePolicy): ReadonlyMap<Fact, Said> => {
  const said = new Map<Fact, Said>()
  for (const runs of Map.groupBy(runsOf(facts), ({ job }) => job).values()) {
    const judged: Array<JudgedRun> = []
    for (const run of runs.toSorted((a, b) => a.finish - b.finish || Text.compare(a.key, b.key))) {
      judged.push({ ...run, ...sayOf(run, judged, policy) })
    }
    for (const run of judged) {
      for (const fact of run.members) if (fact.execution.conclusion === "failed") said.set(fact, run)
    }
  }
  return said
}

/** The executions of runs of other branches that are outages, compared with the runs of the default branch before them. */
export const onBranches = (
  main: ReadonlyArray<Fact>,
  others: ReadonlyArray<Fact>,
  policy: Outage.OutagePolicy
): ReadonlySet<Fact> => {
  const ofMain = Map.groupBy(runsOf(main), ({ job }) => job)
  const found = runsOf(others).filter((run) => {
    const before = (ofMain.get(run.job) ?? []).filter(({ finish }) => finish < run.finish)
    const judged: Array<JudgedRun> = []
    for (const each of before.sort((a, b) => a.finish - b.finish || Text.compare(a.key, b.key))) {
      judged.push({ ...each, ...sayOf(each, judged, policy) })
    }
    return sayOf(run, judged, policy).isOutage
  })
  return new Set(found.flatMap(({ members }) => members))
}

/** All uploads of one pipeline, job, run id, attempt, commit and branch are one run. */
const runOf = ({ run }: Fact): string =>
  [
    run.pipelineName,
    run.jobName,
    run.runId,
    String(run.runAttempt),
    run.commit,
    run.branch ?? "",
    run.baseBranch ?? ""
  ].join("\0")

const runsOf = (facts: ReadonlyArray<Fact>): ReadonlyArray<Run> =>
  [...Map.groupBy(facts, runOf)].map(([key, members]) => {
    const names = (...conclusions: ReadonlyArray<string>) =>
      new Set(members.filter(({ execution }) => conclusions.includes(execution.conclusion)).map(testOf))
    return {
      key,
      job: nameOf("", members[0]?.run ?? { jobName: "", pipelineName: "" }),
      commit: members[0]?.run.commit ?? "",
      finish: Math.max(...members.map(({ execution }) => execution.at)),
      members,
      failed: names("failed"),
      passed: names("passed"),
      ran: names("failed", "passed")
    }
  })

const testOf = ({ execution }: Fact): string => execution.testName

const sayOf = (run: Run, before: ReadonlyArray<JudgedRun>, policy: Outage.OutagePolicy): Omit<JudgedRun, keyof Run> => {
  const reference = referenceOf(run.commit, before)
  const passedBefore = reference === null ? new Set<string>() : passedIn(reference)
  const hits = [...run.failed].filter((test) => passedBefore.has(test)).length
  const isOutage = hits >= policy.failedTests && hits / passedBefore.size >= policy.failedShare
  const expected = reference === null ? 0 : ranIn(reference).size
  const row = rowOf([...before, { ...run, isOutage, expected, isExcused: false, isMany: false }])
  return {
    expected,
    isOutage,
    isExcused: isOutage && row.slice(0, policy.excusedCommits).includes(run.commit),
    isMany: run.failed.size >= policy.fewTests && run.failed.size / run.ran.size >= policy.fewShare
  }
}

/** The runs of one commit that follow each other; a commit that is run again after another one has a second stretch. */
const stretches = (runs: ReadonlyArray<JudgedRun>): ReadonlyArray<ReadonlyArray<JudgedRun>> => {
  const found: Array<Array<JudgedRun>> = []
  for (const run of runs) {
    if (found.at(-1)?.[0]?.commit === run.commit) found.at(-1)?.push(run)
    else found.push([run])
  }
  return found
}

/** The latest stretch before a commit, of another commit, that can be a reference. */
const referenceOf = (commit: string, before: ReadonlyArray<JudgedRun>): ReadonlyArray<JudgedRun> | null => {
  const all = stretches(before)
  const closed = all.at(-1)?.[0]?.commit === commit ? all.slice(0, -1) : all
  return (
    closed.findLast(
      (stretch) =>
        stretch[0]?.commit !== commit &&
        ranIn(stretch).size > 0 &&
        ranIn(stretch).size * 2 >= (stretch[0]?.expected ?? 0)
    ) ?? null
  )
}

const countedIn = (stretch: ReadonlyArray<JudgedRun>) => stretch.filter(({ isExcused }) => !isExcused)

const ranIn = (stretch: ReadonlyArray<JudgedRun>): ReadonlySet<string> =>
  new Set(countedIn(stretch).flatMap(({ ran }) => [...ran]))

/** The tests whose last run of a stretch passed. */
const passedIn = (stretch: ReadonlyArray<JudgedRun>): ReadonlySet<string> =>
  new Set(
    [...ranIn(stretch)].filter((test) => {
      const last = countedIn(stretch).findLast(({ ran }) => ran.has(test))
      return last !== undefined && last.passed.has(test) && !last.failed.has(test)
    })
  )

/** The commits with outages since the last run that was not an outage and in which at least half of the expected tests ran. */
const rowOf = (runs: ReadonlyArray<JudgedRun>): ReadonlyArray<string> => {
  const end = runs.findLastIndex(({ expected, isOutage, ran }) => !isOutage && ran.size * 2 >= expected)
  return [...new Set(runs.slice(end + 1).flatMap(({ commit, isOutage }) => (isOutage ? [commit] : [])))]
}
