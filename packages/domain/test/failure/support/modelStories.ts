/** Failures whose facts ask each number of the policy. */
import { FailureFacts, Instant } from "@lazaret/domain"
import {
  at,
  elsewhere,
  type Facts,
  failure,
  flake,
  network,
  next,
  of,
  onMain,
  outage,
  outages,
  record,
  rerun,
  row,
  siblings,
  together,
  withRuns
} from "./ModelStory.ts"

/** Messages, whose weight depends on the base, too. */
const messages: Readonly<Record<string, readonly [changes: Partial<Facts>, execution: Partial<Facts["failure"]>]>> = {
  "an assertion": [{}, { message: "expected 1 to equal 2" }],
  "a missing module": [{}, { message: "Cannot find module './a'" }],
  "a certain message": [{}, { message: "XPASS(strict)" }],
  "a timeout": [{}, { message: "timed out after 5 s" }],
  "no message": [{}, { message: null, signature: null }],
  "a message of a flake": [{ test: { flakes: [], signatures: ["s1"], others: [] } }, {}],
  "another message than in its flakes": [{ test: { flakes: [], signatures: ["s2"], others: [] } }, {}],
  "a message that was seen": [{ seen: 2 }, {}],
  "a message of which nothing is known": [{ seen: null }, {}],
  "a message of an earlier outage": [{ run: { ...record(30), outages: [outage(9, ["s1"])] } }, network],
  "three attempts": [{}, { attempts: 3 }],
  "a failure that came before alike": [{ earlier: { commits: 2, same: 1 } }, {}],
  "a failure that came before differently": [{ earlier: { commits: 2, same: 0 } }, {}],
  "a failure elsewhere": [{ elsewhere }, {}]
}

export const stories: Readonly<Record<string, Facts | ReadonlyArray<Facts>>> = {
  "a calm repository": of(),
  "a push to main": of({}, onMain),
  "nothing is known": FailureFacts.of(failure),
  "a new test": of({ rows: [], totals: null }),
  "a new test in three jobs": of({ rows: [], totals: null, siblings: siblings("-+") }),
  "a message of the network": of({}, network),
  "an assertion": of({}, { message: "expected 1 to equal 2" }),
  "a missing module": of({}, { message: "Cannot find module './a'" }),
  "a certain message": of({}, { message: "XPASS(strict)" }),
  "a timeout": of({}, { message: "timed out after 5 s" }),
  "no message": of({}, { message: null, signature: null }),
  "a message of a flake": of({ test: { flakes: [], signatures: ["s1"], others: [] } }),
  "another message than in its flakes": of({ test: { flakes: [], signatures: ["s2"], others: [] } }),
  "a message that was seen": of({ seen: 2 }),
  "a message of an earlier outage": of({ run: { ...record(30), outages: [outage(9, ["s1"])] } }, network),
  "an outage five hours before": of({ run: { ...record(30), outages: [outage(5, ["s2"])] } }),
  "three attempts": of({}, { attempts: 3 }),
  "nine attempts": of({}, { attempts: 9 }),
  "a rerun failed": of({ reruns: [rerun("failed"), rerun("failed", "8")] }),
  "a rerun passed": of({ reruns: [rerun("passed")] }),
  "failed before on the branch alike": of({ earlier: { commits: 2, same: 1 } }),
  "failed before on the branch differently": of({ earlier: { commits: 2, same: 0 } }),
  "passes in another job": of({ siblings: siblings("+") }),
  "fails in all three jobs": of({ siblings: siblings("--") }),
  "a flake fails in another job": of({
    siblings: siblings("-++"),
    test: { flakes: [flake("a", 3)], signatures: [], others: [] }
  }),
  "many jobs": of({ siblings: siblings("-".repeat(3) + "+".repeat(24)) }),
  "flaked last week": of({ test: { flakes: [flake("a", 3), flake("b", 8)], signatures: [], others: [] } }),
  "flaked in another job": of({
    siblings: siblings("+++"),
    test: { flakes: [flake("a", 3, { jobName: "unit-1" })], signatures: [], others: [] }
  }),
  "flaked among many failures": of({ test: { flakes: [flake("a", 3, { failures: 5 })], signatures: [], others: [] } }),
  "flaked among four failures": of({ test: { flakes: [flake("a", 3, { failures: 4 })], signatures: [], others: [] } }),
  "flaked beyond the memory": of({ test: { flakes: [flake("a", 60)], signatures: [], others: [] } }),
  "flaked on main": of({ run: record(30, (index) => (index === 7 || index === 19 ? ["Cart > sorts"] : [])) }),
  "another test flaked on main": of({ run: record(30, (index) => (index === 7 ? ["Cart > stacks"] : [])) }),
  "main flakes in many runs": of({ run: record(60, outages) }),
  "a young repository": of({ run: record(3, (index) => (index === 0 ? ["Cart > stacks", "b"] : [])) }),
  "main broke three times": of({ run: record(60, (index) => (index % 20 > 16 ? ["Cart > stacks", "b"] : [])) }),
  "main broke for many tests": of({ run: record(30, (index) => (index % 9 < 2 ? ["a", "b", "c", "d", "e"] : [])) }),
  "two tests fail on main": of({
    run: record(30, (index) => (index < 2 ? ["Cart > sorts", "b"] : [])),
    rows: [row("--+++")]
  }),
  "pull requests break often": of({ run: record(30, () => [], { runs: 80, red: 40 }) }),
  "failed once on main": of({ rows: [row("-++++")] }),
  "failed twice on main": of({ rows: [row("--+++")] }),
  "failed differently on main": of({ rows: [row("~~+++")] }),
  "failed on main, alike at last": of({ rows: [row("-~+++")] }),
  "never passed on main": of({ rows: [row("--")] }),
  "failed in two of three jobs of main": of({
    rows: [row("-++++")],
    previousRuns: [{ branch: "main", passed: 1, failed: 2 }],
    siblings: siblings("+-")
  }),
  "failed in all jobs of main": of({
    rows: [row("-++++")],
    previousRuns: [{ branch: "main", passed: 0, failed: 3 }],
    siblings: siblings("++")
  }),
  "an outage on main": of({ rows: [row("o++++")] }),
  "two outages on main": of({ rows: [row("oo+++")] }),
  "a failure on main, then an outage": of({ rows: [row("o-+++")] }),
  "an outage of the network on main": of({ rows: [row("oo+++")] }, network),
  "an outage on main of a missing module": of({ rows: [row("o++++")] }, { message: "Cannot find module './a'" }),
  "more failed on main": of({
    rows: [row("o++++")],
    run: record(30, (index) => (index === 0 ? ["a", "b", "c", "d", "e"] : []))
  }),
  "fails elsewhere": of({ elsewhere }),
  "fails elsewhere hours before": of({ elsewhere: elsewhere.map((run) => ({ ...run, at: at - 7 * Instant.hour })) }),
  "the next run of main fails": of({ next: next("-+") }, onMain),
  "the next run of main passes": of({ next: next("+") }, onMain),
  "the next runs of main fail differently": of({ next: next("~~") }, onMain),
  "health excuses the run": of({
    run: { ...record(30), judgement: { isOutage: true, isExcused: true, hit: 7, passedBefore: 20 } }
  }),
  "health excuses the run, and a rerun passed": of({
    reruns: [rerun("passed")],
    run: { ...record(30), judgement: { isOutage: true, isExcused: true, hit: 7, passedBefore: 20 } }
  }),
  "two failures": together(
    2,
    () => "s1",
    () => "a"
  ),
  "three failures with one message": together(
    3,
    () => "s1",
    () => "a"
  ),
  "three failures in three files": together(
    3,
    (index) => `s${index}`,
    (index) => `f${index}`
  ),
  "five failures, three with one message": together(
    5,
    (index) => (index < 3 ? "s1" : `s${index}`),
    () => "a"
  ),
  "seven failures, three with one message": together(
    7,
    (index) => (index < 3 ? "s1" : `t${index % 3}`),
    () => "a"
  ),
  "five failures, four messages": together(
    5,
    (index) => `s${index % 4}`,
    () => "a"
  ),
  "eight failures in eight files": together(
    8,
    () => "s1",
    (index) => `f${index}`
  ),
  "eight failures in one file": together(
    8,
    (index) => `s${index}`,
    () => "f"
  ),
  "eight failures with siblings": together(
    8,
    () => "s1",
    (index) => `f${index}`,
    { siblings: siblings("-+") }
  ),
  "four failures of an outage on main": together(
    4,
    () => "s1",
    () => "a",
    { rows: [row("o++++")] }
  ),
  "three failures of the network on main": together(
    3,
    () => "s1",
    () => "a",
    { rows: [row("-++++")] }
  ).map((facts) => ({
    ...facts,
    failure: { ...facts.failure, ...network }
  })),
  "ninety of a hundred": together(
    90,
    () => "s1",
    () => "a",
    { job: { passed: 10, failed: 89, silent: 0 } }
  ),
  ...Object.fromEntries(
    Object.entries(messages).flatMap(([name, [changes, execution]]) => [
      [`${name}, on a main that fails`, of({ ...changes, rows: [row("-++++")] }, execution)],
      [`${name}, in an outage of main`, of({ ...changes, rows: [row("o++++")] }, execution)]
    ])
  ),
  "an earlier message of an assertion": of(
    { run: { ...record(30), outages: [outage(9, ["s1"])] } },
    { message: "expected 1 to equal 2" }
  ),
  "an outage six hours before": of({ run: { ...record(30), outages: [outage(6, ["s2"])] } }),
  "outages on main": of({ run: withRuns((run, index) => ({ ...run, isOutage: index % 10 === 3 })) }),
  "many failures on main that are not listed": of({
    run: withRuns((run, index) => ({ ...run, failed: 60, failures: index % 10 === 3 ? null : run.failures }))
  }),
  "flaked on main long ago": of({ run: record(30, (index) => (index > 24 && index % 2 === 0 ? [`a${index}`] : [])) }),
  "flaked on main in the middle": of({
    run: record(30, (index) => (index === 15 || index === 14 ? [`a${index}`] : []))
  }),
  "nine commits of main": of({ run: record(9, (index) => (index === 7 ? ["Cart > stacks"] : [])) }),
  "ten commits of main": of({ run: record(10, (index) => (index === 7 ? ["Cart > stacks"] : [])) }),
  "four commits of main": of({ run: record(4, (index) => (index === 0 ? ["Cart > stacks"] : [])) }),
  "flaked on main with three others": of({
    run: record(30, (index) => (index === 7 ? ["Cart > sorts", "a", "b", "c"] : []))
  }),
  "flaked on main with two others": of({ run: record(30, (index) => (index === 7 ? ["Cart > sorts", "a", "b"] : [])) }),
  "flakes in every other run of main": of({ run: record(60, (index) => (index % 2 === 0 ? ["Cart > sorts"] : [])) }),
  "main usually fails twice, flaked among six": of({
    run: record(30, (index) => [`a${index % 4}`, `b${index % 3}`]),
    test: { flakes: [flake("a", 3, { failures: 6 })], signatures: [], others: [] }
  }),
  "main usually fails twice, flaked among seven": of({
    run: record(30, (index) => [`a${index % 4}`, `b${index % 3}`]),
    test: { flakes: [flake("a", 3, { failures: 7 })], signatures: [], others: [] }
  }),
  "flaked without knowing among how many": of({
    test: { flakes: [flake("a", 3, { failures: null })], signatures: [], others: [] }
  }),
  "flaked twice on a commit": of({ test: { flakes: [flake("a", 13), flake("a", 14)], signatures: [], others: [] } }),
  "flaked two weeks ago": of({ test: { flakes: [flake("a", 14)], signatures: [], others: [] } }),
  "a record that knows the flake": of({
    run: record(30, (index) => (index === 7 ? ["Cart > sorts"] : [])),
    test: { flakes: [flake("m7", 1)], signatures: [], others: [] }
  }),
  "thirty runs on main, more are not known": of({ rows: [row("+".repeat(30))], totals: null }),
  "the whole row is known, more are not": of({ rows: [row("+".repeat(31))], totals: null, run: record(50) }),
  "many others for each run of main": of({ run: record(10, () => [], { runs: 70, red: 3 }) }),
  "a red main": of({ run: record(30, (index) => (index < 29 ? [`a${index}`] : []), { runs: 40, red: 39 }) }),
  "failed twenty times on main": of({ rows: [row("-".repeat(20) + "+")] }),
  "failed on main without a message": of({ rows: [row("-?+++")] }),
  "began to fail on main with others": of({
    run: record(30, (index) => (index < 1 ? ["Cart > sorts", "b", "c"] : [])),
    rows: [row("-++++")]
  }),
  "failed in one of two jobs of main": of({
    rows: [row("-++++")],
    previousRuns: [{ branch: "main", passed: 1, failed: 1 }],
    siblings: siblings("+++")
  }),
  "passes in fewer jobs than on main": of({
    rows: [row("-++++")],
    previousRuns: [{ branch: "main", passed: 3, failed: 2 }],
    siblings: siblings("-+")
  }),
  "fails in many jobs": of({ siblings: siblings("-".repeat(22) + "++") }),
  "passes in many jobs": of({ siblings: siblings("+".repeat(22) + "-") }),
  "a new job": of({ run: record(0), siblings: siblings("-++") }),
  "the next run of main fails without a message": of({ next: next("??") }, onMain),
  "the next run of main fails, of a flaky test": of(
    { next: next("-"), test: { flakes: [flake("a", 3), flake("b", 4), flake("c", 5)], signatures: [], others: [] } },
    onMain
  ),
  "five hours after the failure elsewhere": of({
    elsewhere: elsewhere.map((run) => ({ ...run, at: at + 6 * Instant.hour }))
  }),
  "two failures, each of them again": together(
    2,
    () => "s1",
    () => "a",
    { reruns: [rerun("failed")] }
  ),
  "two failures, one of them again": together(
    2,
    () => "s1",
    () => "a"
  ).map((facts, index) => ({ ...facts, reruns: index === 0 ? [rerun("failed")] : [] })),
  "two failures, seven times": together(
    2,
    () => "s1",
    () => "a",
    {
      reruns: Array.from({ length: 6 }, (_, index) => ({ ...rerun("failed"), id: `r${index}` }))
    }
  ),
  "two failures of the network on main": together(
    2,
    () => "s1",
    () => "a",
    { rows: [row("-++++")] }
  ).map((facts) => ({
    ...facts,
    failure: { ...facts.failure, ...network }
  })),
  "two failures, and eight on main": together(
    2,
    () => "s1",
    () => "a",
    {
      rows: [row("o++++")],
      run: record(30, (index) => (index === 0 ? ["a", "b", "c", "d", "e", "f", "g", "h"] : []))
    }
  ),
  "two failures, and nine on main": together(
    2,
    () => "s1",
    () => "a",
    {
      rows: [row("o++++")],
      run: record(30, (index) => (index === 0 ? ["a", "b", "c", "d", "e", "f", "g", "h", "i"] : []))
    }
  ),
  "six failures, three with one message": together(
    6,
    (index) => (index < 3 ? "s1" : `s${index}`),
    () => "a"
  ),
  "three failures in one suite": together(
    3,
    () => "s1",
    () => null
  ),
  "three failures whose files are not known": together(
    3,
    () => "s1",
    () => null
  ).map((facts, index) => ({
    ...facts,
    failure: { ...facts.failure, testName: `sorts ${index}` }
  })),
  "seven failures in two files": together(
    7,
    (index) => `s${index}`,
    (index) => `f${index % 2}`
  ),
  "five hundred failures": together(
    500,
    (index) => `s${index}`,
    () => "a",
    {
      job: { passed: 0, failed: 499, silent: 0 },
      seen: 2
    }
  ),
  "a small job": of({ job: { passed: 0, failed: 0, silent: 0 } }),
  "a job of seventeen tests": of({ job: { passed: 15, failed: 1, silent: 0 } }),
  "two of a next run that fails": together(
    2,
    () => "s1",
    () => "a",
    { next: next("-+") }
  ),
  "one red run of other changes": of({ run: record(30, () => [], { runs: 1, red: 1 }) }),
  "failures in the runs of main that are no more in the middle than elsewhere": together(
    5,
    (index) => `s${index}`,
    () => "a",
    { run: withRuns((run, index) => ({ ...run, failed: index % 10 === 5 ? 12 : index % 3 })) }
  ),
  "the next run of main fails differently, of a flaky test": of(
    { next: next("~"), test: { flakes: [flake("a", 3), flake("b", 4), flake("c", 5)], signatures: [], others: [] } },
    onMain
  ),
  "two failures, one of them elsewhere": together(
    2,
    () => "s1",
    () => "a"
  ).map((facts, index) => (index === 0 ? { ...facts, elsewhere } : facts)),
  "a flake whose last run on main failed": of({
    rows: [row("-++++")],
    test: { flakes: [flake("m0", 1), flake("b", 8), flake("c", 9)], signatures: ["s1"], others: [] }
  }),
  "a timeout in a job without a record": of(
    {
      run: record(0),
      seen: 3,
      job: { passed: 99, failed: 1, silent: 0 },
      siblings: siblings("+++")
    },
    { message: "timed out after 5 s" }
  ),
  "a new test after one commit of main": of({ rows: [], totals: null, run: record(1) }),
  "a message that was seen once": of({ seen: 1 }),
  "a message of contention": of({}, { message: "ERROR: deadlock detected" }),
  "a message of a flake that the network left": of(
    { run: record(5), test: { flakes: [flake("a", 3)], signatures: ["s1"], others: [] } },
    network
  ),
  "failed before on one commit of the branch": of({ earlier: { commits: 1, same: 1 } }),
  "failed on main, and in another job": of({ rows: [row("-++++")], siblings: siblings("-+") }),
  "passes in four more jobs than on main": of({
    rows: [row("-++++")],
    previousRuns: [{ branch: "main", passed: 1, failed: 2 }],
    siblings: siblings("+++++")
  }),
  "health excuses two failures": together(
    2,
    () => "s1",
    () => "a",
    { run: { ...record(30), judgement: { isOutage: true, isExcused: true, hit: 7, passedBefore: 20 } } }
  ),
  "the next run of main fails, of a test that mostly fails there": of(
    { next: next("-"), run: record(60, (index) => (index % 2 === 0 ? ["Cart > sorts"] : [])) },
    onMain
  ),
  "eight failures, six in one file": together(
    8,
    () => "s1",
    (index) => (index < 6 ? "a" : "b")
  ),
  "eight failures, two in each file, on a main that fails": together(
    8,
    (index) => `s${index}`,
    (index) => `f${index % 4}`,
    { rows: [row("-++++")] }
  ),
  "eight failures of the network, two in each file": together(
    8,
    () => "s1",
    (index) => `f${index % 4}`
  ).map((facts) => ({ ...facts, failure: { ...facts.failure, ...network } })),
  "two failures, one of them in another job": together(
    2,
    () => "s1",
    () => "a"
  ).map((facts, index) => (index === 0 ? { ...facts, siblings: siblings("-+") } : facts)),
  "more failed in one of two last runs of main": of({
    rows: [row("o++++")],
    run: withRuns((run, index) => (index === 1 ? { ...run, at: at - Instant.hour, failed: 5 } : run))
  }),
  "fails in hundreds of jobs": of({ siblings: siblings("-".repeat(600)) })
}
