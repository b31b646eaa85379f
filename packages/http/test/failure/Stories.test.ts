/** Stories of failures over the wire: JUnit goes in run by run, and each step asserts the verdict after it. */
import { assert, describe, it } from "@effect/vitest"
import { repository, serve } from "../wire.ts"

type Server = Awaited<ReturnType<typeof serve>>

const hour = 3_600_000

const start = Date.UTC(2026, 5, 10, 8)

const suite = ["adds", "sorts", "totals", "refunds", "ships", "bills", "prints", "counts", "loads", "saves"]

/** The failures of a break, a flake and an outage. */
const wrong = "expected 'total' to equal 'sum'"
const slow = "timed out after 5000 ms"
const refused = "connect ECONNREFUSED 10.0.0.5:5432"

/** The run of a job on a commit: of a pull request into main when it names a branch, else of main. */
interface Run {
  readonly commit: string
  readonly branch?: string
  readonly job?: string
  readonly attempt?: number
  /** Instead of those of the repository. */
  readonly tests?: ReadonlyArray<string>
}

/** The tests that fail in a run, with their messages. */
interface Failing {
  readonly [test: string]: string
}

/** The fields of a judged failure that the steps assert. */
interface Judged {
  readonly test_name: string
  readonly verdict: string
  readonly title: string
  readonly reason: string
  readonly line: string
  readonly cause: string | null
  readonly causes: { readonly flake: number }
  readonly probability_flaky: number
}

const queryOf = ({ attempt = 1, branch, commit, job = "unit" }: Run, at: number) =>
  new URLSearchParams({
    pipeline_name: "CI",
    job_name: job,
    commit,
    branch: branch ?? "main",
    run_id: commit,
    run_attempt: String(attempt),
    finished_at: new Date(at).toISOString(),
    ...(branch === undefined ? {} : { base_branch: "main" })
  })

const reportOf = (tests: ReadonlyArray<string>, failing: Failing): string => {
  const cases = tests.map((name) => {
    const message = failing[name]
    const failure = message === undefined ? "" : `<failure type="Error" message="${message}"/>`
    return `<testcase name="${name}">${failure}</testcase>`
  })
  return `<testsuite>${cases.join("")}</testsuite>`
}

/** A repository whose runs are an hour apart. */
const repositoryOn = (server: Server, testsOfRuns: ReadonlyArray<string> = suite) => {
  let at = start
  /** Uploads a report as a runner wrote it. */
  const sent = async (run: Run, body: string) => {
    at += hour
    const answer = await server.send(`${repository}/reports?${queryOf(run, at)}`, {
      method: "POST",
      headers: { "content-type": "application/xml" },
      body
    })
    assert.strictEqual(answer.status, 201, await answer.text())
  }
  const upload = (run: Run, failing: Failing = {}) => sent(run, reportOf(run.tests ?? testsOfRuns, failing))
  /** The failures of a commit, as they are judged now. */
  const judged = async (commit: string, job = "unit"): Promise<ReadonlyArray<Judged>> => {
    const query = new URLSearchParams({ job_name: job, per_page: "100" })
    return (await server.json(`${repository}/commits/${commit}/failures?${query}`)).failures
  }
  /** Uploads a run, and yields the verdicts on the failures of its commit and job after it. */
  const step = async (run: Run, failing: Failing = {}): Promise<Record<string, string>> => {
    await upload(run, failing)
    const failures = await judged(run.commit, run.job)
    return Object.fromEntries(failures.map(({ test_name, verdict }) => [test_name, verdict]))
  }
  /** The failure of `totals` on a commit. */
  const totals = async (commit: string, job?: string): Promise<Judged> => {
    const found = (await judged(commit, job)).find(({ test_name }) => test_name === "totals")
    assert.isDefined(found)
    return found
  }
  /** Commits of main in which everything passes. */
  const green = async (name: string, count: number, jobs: ReadonlyArray<string> = ["unit"]) => {
    for (let index = 0; index < count; index++) {
      for (const job of jobs) await upload({ commit: `${name}${index}`, job })
    }
  }
  /** Commits of main on which `totals` times out and passes when it is run again; `apart` green commits before each. */
  const flakes = async (count: number, apart: number) => {
    for (let index = 0; index < count; index++) {
      await green(`between${index}-`, apart)
      await upload({ commit: `flake${index}` }, { totals: slow })
      await upload({ commit: `flake${index}`, attempt: 2 })
    }
    await green("latest", 1)
  }
  return { sent, upload, judged, step, totals, green, flakes }
}

const pull = { commit: "p1", branch: "topic" }

const again = { ...pull, attempt: 2 }

describe("stories of one test", () => {
  it("what a pull request breaks after 30 green runs is a new failure, and still is when attempt 2 fails", async () => {
    await using server = await serve()
    const { green, step, totals } = repositoryOn(server)
    await green("m", 30)
    assert.deepStrictEqual(await step(pull, { totals: wrong }), { totals: "new_failure" })
    const first = await totals("p1")
    assert.include(first.reason, "never failed in 30 runs of main")
    assert.deepStrictEqual(await step(again, { totals: wrong }), { totals: "new_failure" })
    const second = await totals("p1")
    assert.include(second.reason, "failed in both attempts")
    assert.isBelow(second.probability_flaky, first.probability_flaky)
  })

  it("a new failure that passes in attempt 2 is flaky from then on", async () => {
    await using server = await serve()
    const { green, step, totals } = repositoryOn(server)
    await green("m", 30)
    assert.deepStrictEqual(await step(pull, { totals: slow }), { totals: "new_failure" })
    assert.isBelow((await totals("p1")).probability_flaky, 0.5)
    assert.deepStrictEqual(await step(again), { totals: "flaky" })
    const { probability_flaky, reason } = await totals("p1")
    assert.deepStrictEqual([probability_flaky, reason], [0.99, "passed on this commit in job unit"])
  })

  it("a test that flaked five times in 100 runs and fails with a new message is undecided, then new in attempt 2", async () => {
    await using server = await serve()
    const { flakes, step, totals } = repositoryOn(server)
    await flakes(5, 20)
    assert.deepStrictEqual(await step(pull, { totals: wrong }), { totals: "undecided" })
    const { reason } = await totals("p1")
    assert.include(reason, "failed and passed on 5 commits in 14 days")
    assert.include(reason, "its message was not seen before")
    assert.include(reason, "to pass when run again, which would decide")
    assert.deepStrictEqual(await step(again, { totals: wrong }), { totals: "new_failure" })
  })

  it("a test that flaked in five of 30 runs and fails with a new message would probably fail again, and is new in attempt 2", async () => {
    await using server = await serve()
    const { flakes, step, totals } = repositoryOn(server)
    await flakes(5, 5)
    const first = await step(pull, { totals: wrong })
    assert.notInclude(["broken_on_base", "outage"], first["totals"])
    assert.isBelow((await totals("p1")).probability_flaky, 0.5)
    assert.deepStrictEqual(await step(again, { totals: wrong }), { totals: "new_failure" })
  })

  it("a flake whose last run of main flaked too is flaky and not broken there", async () => {
    await using server = await serve()
    const { flakes, step, totals } = repositoryOn(server)
    await flakes(3, 6)
    assert.deepStrictEqual(await step({ commit: "last" }, { totals: slow }), { totals: "flaky" })
    assert.deepStrictEqual(await step(pull, { totals: slow }), { totals: "flaky" })
    assert.include((await totals("p1")).reason, "failed in the last run of main")
    assert.deepStrictEqual(await step(again), { totals: "flaky" })
    assert.strictEqual((await totals("p1")).probability_flaky, 0.99)
  })

  it("what times out after 5 green runs is undecided: nothing has shown that tests flake there", async () => {
    await using server = await serve()
    const { green, step, totals } = repositoryOn(server)
    await green("m", 5)
    assert.deepStrictEqual(await step(pull, { totals: slow }), { totals: "undecided" })
    const { reason } = await totals("p1")
    assert.include(reason, "this change or a flake: ")
    assert.include(reason, "only 5 commits of main known")
  })

  it("the share in the title of a flake is the probability of its cause, and a pass proves it", async () => {
    await using server = await serve()
    const { flakes, step, totals } = repositoryOn(server)
    await flakes(6, 2)
    assert.deepStrictEqual(await step(pull, { totals: slow }), { totals: "flaky" })
    const { causes, line, title } = await totals("p1")
    assert.strictEqual(title, `flaky (${Math.round(causes.flake * 100)} %)`)
    assert.isAtLeast(causes.flake, 0.6)
    assert.include(line, title)
    assert.deepStrictEqual(await step(again), { totals: "flaky" })
    assert.strictEqual((await totals("p1")).title, "flaky (99 %)")
  })

  it("a renamed test after one green run of main is a new test that the change probably breaks", async () => {
    await using server = await serve()
    const { green, step, totals } = repositoryOn(server)
    await green("m", 1)
    const tests = suite.map((name) => (name === "totals" ? "sums" : name))
    assert.deepStrictEqual(await step({ ...pull, tests }, { sums: wrong }), { sums: "new_test" })
    await green("n", 1)
    assert.deepStrictEqual(await step({ commit: "q1", branch: "other" }, { totals: wrong }), { totals: "new_failure" })
    assert.isBelow((await totals("q1")).probability_flaky, 0.4)
  })

  it("a renamed test that fails is a new test in both attempts, and its first failure after it was merged is a new one", async () => {
    await using server = await serve()
    const { green, step, upload } = repositoryOn(server)
    await green("m", 30)
    const tests = suite.map((name) => (name === "totals" ? "sums" : name))
    assert.deepStrictEqual(await step({ ...pull, tests }, { sums: wrong }), { sums: "new_test" })
    assert.deepStrictEqual(await step({ ...again, tests }, { sums: wrong }), { sums: "new_test" })
    assert.deepStrictEqual(await step({ ...pull, commit: "p2", tests }), {})
    for (let index = 0; index < 6; index++) await upload({ commit: `merged${index}`, tests })
    const later = { commit: "q1", branch: "other", tests }
    assert.deepStrictEqual(await step(later, { sums: wrong }), { sums: "new_failure" })
  })
})

describe("stories of files that do not load", () => {
  const titles = ["opens", "closes", "expires", "renews"]
  const vitest = (files: ReadonlyArray<string>) => `<testsuites name="vitest tests">${files.join("")}</testsuites>`
  const vitestFile = (file: string, cases: string) => `<testsuite name="${file}">${cases}</testsuite>`
  const passing = (file: string, names: ReadonlyArray<string>) =>
    vitestFile(file, names.map((name) => `<testcase classname="${file}" name="${name}" time="0"/>`).join(""))
  /** As Vitest reports a file whose import fails. */
  const unloaded = vitestFile(
    "src/session.test.ts",
    `<testcase classname="src/session.test.ts" name="src/session.test.ts" time="0">
      <failure message="Cannot find module &apos;./session&apos; imported from /home/ci/shop/src/session.test.ts" type="Error">
Error: Cannot find module &apos;./session&apos; imported from /home/ci/shop/src/session.test.ts
 ❯ src/session.test.ts:2:1

Serialized Error: { code: &apos;ERR_MODULE_NOT_FOUND&apos; }
      </failure>
    </testcase>`
  )

  it("Vitest: the tests of a file that a pull request breaks are one line, and main's own break of it is broken on the base", async () => {
    await using server = await serve()
    const { judged, sent } = repositoryOn(server)
    const whole = vitest([passing("src/session.test.ts", titles), passing("src/cart.test.ts", suite)])
    const broken = vitest([unloaded, passing("src/cart.test.ts", suite)])
    for (let index = 0; index < 20; index++) await sent({ commit: `m${index}` }, whole)
    const line = "4 tests of `src/session.test.ts` did not run: Cannot find module './session'"
    for (const run of [pull, again]) {
      await sent(run, broken)
      const [failure, ...others] = await judged("p1")
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual([failure?.verdict, failure?.title, failure?.line], ["new_test", "file did not load", line])
    }
    await sent({ commit: "broken" }, broken)
    assert.deepStrictEqual(
      (await judged("broken")).map((each) => each.line),
      [line]
    )
    await sent({ commit: "q1", branch: "other" }, broken)
    assert.deepStrictEqual(
      (await judged("q1")).map(({ verdict }) => verdict),
      ["broken_on_base"]
    )
    await sent({ commit: "fix" }, whole)
    await sent({ commit: "q2", branch: "other" }, broken)
    assert.deepStrictEqual(
      (await judged("q2")).map((each) => each.line),
      [line]
    )
  })

  it("pytest: the tests of a module that cannot be collected are one line, though the run ends before all others", async () => {
    await using server = await serve()
    const { judged, sent } = repositoryOn(server)
    const pytest = (cases: string) =>
      `<testsuites name="pytest tests"><testsuite name="pytest">${cases}</testsuite></testsuites>`
    const tests = (module: string, names: ReadonlyArray<string>) =>
      names.map((name) => `<testcase classname="${module}" name="test_${name}" time="0.001"/>`).join("")
    const whole = pytest(tests("tests.test_session", titles) + tests("tests.test_cart", suite))
    for (let index = 0; index < 20; index++) await sent({ commit: `m${index}` }, whole)
    await sent(
      pull,
      pytest(`<testcase classname="" name="tests.test_session" time="0.000"><error message="collection failure">ImportError while importing test module '/home/ci/shop/tests/test_session.py'.
Hint: make sure your test modules/packages have valid Python names.
Traceback:
tests/test_session.py:1: in &lt;module&gt;
    import session
E   ModuleNotFoundError: No module named 'session'</error></testcase>`)
    )
    const [failure] = await judged("p1")
    assert.deepStrictEqual(
      [failure?.verdict, failure?.line],
      ["new_test", "4 tests of `tests.test_session` did not run: ModuleNotFoundError: No module named 'session'"]
    )
  })
})

describe("stories of main", () => {
  it("a break on main after 30 green runs is new on main since its commit, and in attempt 2 too", async () => {
    await using server = await serve()
    const { green, step, totals } = repositoryOn(server)
    await green("m", 30)
    assert.deepStrictEqual(await step({ commit: "broken1" }, { totals: wrong }), { totals: "new_failure" })
    assert.strictEqual((await totals("broken1")).title, "new on main since broken1")
    assert.deepStrictEqual(await step({ commit: "broken1", attempt: 2 }, { totals: wrong }), { totals: "new_failure" })
  })

  it("a break on main after 5 green runs is undecided, and new on main as soon as the next commit fails too", async () => {
    await using server = await serve()
    const { green, step, totals } = repositoryOn(server)
    await green("m", 5)
    assert.deepStrictEqual(await step({ commit: "broken1" }, { totals: wrong }), { totals: "undecided" })
    const first = await totals("broken1")
    assert.include(first.reason, "this commit or a flake: ")
    assert.include(first.reason, "to pass when run again, which would decide")
    assert.include(first.reason, "only 5 commits of main known")
    assert.deepStrictEqual(await step({ commit: "next" }, { totals: wrong }), { totals: "broken_on_base" })
    const later = await totals("broken1")
    assert.deepStrictEqual([later.verdict, later.title], ["new_failure", "new on main since broken1"])
    assert.include(later.reason, "failed in the next run of main, too")
    assert.isBelow(later.probability_flaky, first.probability_flaky)
  })

  it("a failure on main that passes in the next run is not called a break of its commit", async () => {
    await using server = await serve()
    const { green, step, totals } = repositoryOn(server)
    await green("m", 5)
    await step({ commit: "once" }, { totals: slow })
    const first = await totals("once")
    await green("n", 1)
    const later = await totals("once")
    // The test passed without a visible change: a flake is more likely than a break and its fix.
    assert.notStrictEqual(first.verdict, "flaky")
    assert.strictEqual(later.verdict, "flaky")
    assert.isAbove(later.probability_flaky, first.probability_flaky)
  })

  it("a break on main after 150 green runs is new on main, then broken for the next commit and a pull request, until its fix", async () => {
    await using server = await serve()
    const { green, step, totals } = repositoryOn(server)
    await green("m", 150)
    const failing = { totals: wrong }
    assert.deepStrictEqual(await step({ commit: "4f1c2d3e" }, failing), { totals: "new_failure" })
    assert.strictEqual((await totals("4f1c2d3e")).title, "new on main since 4f1c2d3")
    assert.deepStrictEqual(await step(pull, failing), { totals: "broken_on_base" })
    assert.include((await totals("p1")).reason, "failed in the last run of main")
    assert.deepStrictEqual(await step({ commit: "next" }, failing), { totals: "broken_on_base" })
    assert.strictEqual((await totals("next")).title, "broken on main before this commit")
    assert.strictEqual((await totals("4f1c2d3e")).title, "new on main since 4f1c2d3")
    assert.deepStrictEqual(await step(again, failing), { totals: "broken_on_base" })
    assert.deepStrictEqual(await step({ commit: "fix" }), {})
    assert.deepStrictEqual(await step({ commit: "q1", branch: "other" }, failing), { totals: "new_failure" })
    assert.include((await totals("q1")).reason, "passed in the last run of main")
    assert.deepStrictEqual(await step({ commit: "q2", branch: "other" }), {})
  })

  it("a suite of three tests whose only run of main failed with the same message is broken on the base", async () => {
    await using server = await serve()
    const { step, totals } = repositoryOn(server, ["adds", "sorts", "totals"])
    assert.deepStrictEqual(await step({ commit: "only" }, { totals: wrong }), { totals: "new_test" })
    assert.include((await totals("only")).reason, "only 0 commits of main known")
    assert.deepStrictEqual(await step(pull, { totals: wrong }), { totals: "broken_on_base" })
    assert.deepStrictEqual(await step(again, { totals: wrong }), { totals: "broken_on_base" })
  })
})

describe("stories of several jobs", () => {
  it("the first failure of a job that never ran on main is new there and undecided, though another job passes", async () => {
    for (const known of [0, 1]) {
      await using server = await serve()
      const { green, judged, step, totals } = repositoryOn(server)
      await green("m", known)
      await step(pull)
      assert.deepStrictEqual(await step({ ...pull, job: "lint" }, { totals: wrong }), { totals: "new_test" })
      assert.strictEqual((await judged("p1", "lint")).length, 1)
      const { cause, probability_flaky, reason } = await totals("p1", "lint")
      assert.isNull(cause)
      assert.isBelow(probability_flaky, 0.6)
      assert.include(reason, "this change or a flake: ")
      assert.include(reason, "only 0 commits of main known")
    }
  })

  it("a failure in one of three jobs of a matrix is new in both attempts, and more surely so in all three", async () => {
    await using server = await serve()
    const jobs = ["linux", "macos", "windows"]
    const { green, step, totals } = repositoryOn(server)
    await green("m", 20, jobs)
    assert.deepStrictEqual(await step({ ...pull, job: "linux" }), {})
    assert.deepStrictEqual(await step({ ...pull, job: "macos" }), {})
    assert.deepStrictEqual(await step({ ...pull, job: "windows" }, { totals: wrong }), { totals: "new_failure" })
    const one = await totals("p1", "windows")
    assert.include(one.reason, "fails in 1 of 3 jobs")
    assert.deepStrictEqual(await step({ ...again, job: "windows" }, { totals: wrong }), { totals: "new_failure" })
    for (const job of jobs) {
      const verdicts = await step({ commit: "q1", branch: "other", job }, { totals: wrong })
      assert.deepStrictEqual(verdicts, { totals: "new_failure" }, job)
    }
    const all = await totals("q1", "windows")
    assert.include(all.reason, "fails in all 3 jobs")
    assert.isBelow(all.probability_flaky, one.probability_flaky)
  })

  it("a job that is always red is broken on main from its third run on, and what a pull request breaks in it is new", async () => {
    await using server = await serve()
    const { step, totals } = repositoryOn(server)
    const failing = { totals: wrong }
    for (let index = 0; index < 20; index++) {
      const commit = `m${index}`
      assert.deepStrictEqual(await step({ commit }), {})
      const verdicts = await step({ commit, job: "nightly" }, failing)
      if (index >= 2) assert.deepStrictEqual(verdicts, { totals: "broken_on_base" }, commit)
      else assert.match((await totals(commit, "nightly")).reason, /only [01] commits? of main known$/u)
    }
    assert.deepStrictEqual(await step(pull), {})
    assert.deepStrictEqual(await step({ ...pull, job: "nightly" }, failing), { totals: "broken_on_base" })
    assert.deepStrictEqual(await step({ ...again, job: "nightly" }, failing), { totals: "broken_on_base" })
    const more = await step({ commit: "q1", branch: "other", job: "nightly" }, { ...failing, adds: wrong })
    assert.deepStrictEqual(more, { adds: "new_failure", totals: "broken_on_base" })
  })
})

describe("stories of outages", () => {
  const tests = Array.from({ length: 40 }, (_, index) => `test ${index}`)
  const hit = tests.slice(0, 12)
  const failing = Object.fromEntries(hit.map((name) => [name, refused]))
  const outage = Object.fromEntries(hit.map((name) => [name, "outage"]))

  it("many failures with one network message are an outage on a pull request and its second commit, also after a rerun", async () => {
    await using server = await serve()
    const { green, judged, step } = repositoryOn(server, tests)
    await green("m", 20)
    assert.deepStrictEqual(await step(pull, failing), outage)
    assert.deepStrictEqual(await step({ ...pull, commit: "p2" }, failing), outage)
    assert.deepStrictEqual(await step({ ...pull, commit: "p2", attempt: 2 }), outage)
    for (const { cause, reason } of await judged("p2")) {
      assert.deepStrictEqual([cause, reason], ["environment", "passed on this commit in job unit"])
    }
    assert.deepStrictEqual(await step({ ...pull, commit: "p3" }), {})
    for (const { cause, verdict } of await judged("p1")) {
      assert.deepStrictEqual([verdict, cause], ["outage", "environment"])
    }
  })

  it("a suite that fails as a whole with one message of the code is the change or an outage, and the answer says so", async () => {
    await using server = await serve()
    const few = suite.slice(0, 8)
    const { green, judged, step } = repositoryOn(server, few)
    await green("m", 10)
    const whole = Object.fromEntries(few.map((name) => [name, wrong]))
    assert.deepStrictEqual(await step(pull, whole), Object.fromEntries(few.map((name) => [name, "undecided"])))
    for (const { reason } of await judged("p1")) {
      assert.include(reason, "7 with the same message")
      assert.include(reason, "this change or an outage: ")
      assert.include(reason, "to pass when run again, which would decide")
    }
  })

  it("many failures with one network message are an outage on a second pull request too, and the first stays one", async () => {
    await using server = await serve()
    const { green, judged, step } = repositoryOn(server, tests)
    await green("m", 20)
    assert.deepStrictEqual(await step(pull, failing), outage)
    assert.deepStrictEqual(await step({ commit: "q1", branch: "other" }, failing), outage)
    for (const { reason, verdict } of await judged("p1")) {
      assert.strictEqual(verdict, "outage")
      assert.include(reason, "fails at the same time on 1 unrelated branch")
    }
  })
})
