import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, layer } from "@effect/vitest"
import { Terminal } from "@lazaret/cli"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"

const lazaret = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(HttpServer.HttpServer, (server) =>
    run(args, { LAZARET_URL: Server.urlOf(server), LAZARET_TOKEN: "key", LAZARET_REPO: "acme/widgets", ...env })
  )

const succeed = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.map(lazaret(args, env), (ended) => {
    assert.deepStrictEqual({ exitCode: ended.exitCode, stderr: ended.stderr }, { exitCode: 0, stderr: "" })
    return ended.stdout
  })

const json = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.map(succeed([...args, "--json"], env), (stdout) => JSON.parse(stdout))

/** A command that is refused with this exit code and this one line. */
const refuse = (
  args: ReadonlyArray<string>,
  exitCode: number,
  line: RegExp,
  env: Readonly<Record<string, string>> = {}
) =>
  Effect.map(lazaret(args, env), (ended) => {
    assert.match(ended.stderr, line)
    assert.match(ended.stderr, /^lazaret[^\n]*\n$/)
    assert.deepStrictEqual([ended.stdout, ended.exitCode], ["", exitCode])
  })

const folder = mkdtempSync(join(tmpdir(), "lazaret-"))

const fileOf = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

afterAll(() => rmSync(folder, { recursive: true }))

/** Uploads a report over HTTP; a test that is named with `!` failed. */
const upload = (commit: string, ...tests: ReadonlyArray<string>) => uploadAt(null, commit, ...tests)

/** The same, of a run that finished at an instant; null means now. */
const uploadAt = (finishedAt: string | null, commit: string, ...tests: ReadonlyArray<string>) =>
  Effect.flatMap(HttpServer.HttpServer, (server) =>
    Effect.promise(async () => {
      const query = new URLSearchParams({
        pipeline_name: "CI",
        job_name: "unit",
        commit,
        run_id: commit + tests.join(""),
        ...(finishedAt === null ? {} : { finished_at: finishedAt })
      })
      const cases = tests.map((test) =>
        test.endsWith("!")
          ? `<testcase name="${test.slice(0, -1)}"><failure type="E"/></testcase>`
          : `<testcase name="${test}"/>`
      )
      const response = await fetch(`${Server.urlOf(server)}/v1/ci/acme/repositories/widgets/reports?${query}`, {
        method: "POST",
        headers: { authorization: "Bearer key", "content-type": "application/xml" },
        body: `<testsuite>${cases.join("")}</testsuite>`
      })
      assert.strictEqual(response.status, 201)
    })
  )

layer(Server.layer(settings, Redacted.make("key")), { excludeTestServices: true })("the command line", (it) => {
  it.effect(
    "tests search finds tests, tests show and tests explain print their figures and the rule of their health",
    () =>
      Effect.gen(function* () {
        yield* upload("c1", "a", "b!")
        yield* upload("c1", "a", "b")
        assert.strictEqual(
          (yield* succeed(["tests", "search"])).replaceAll(/[0-9a-f-]{36}/gu, "…"),
          [
            "health   failed  runs  retested  test  pipeline  job   id",
            "flaky    50.0 %     2  rarely    b     CI        unit  …",
            "healthy   0.0 %     2  rarely    a     CI        unit  …",
            ""
          ].join("\n")
        )
        assert.strictEqual(yield* succeed(["tests", "search", "nothing*"]), "no test matches\n")
        assert.match(yield* succeed(["tests", "search", "B"]), /^health.*\nflaky .* b /)
        assert.strictEqual(yield* succeed(["tests", "search", "--name", "B"]), "no test matches\n")
        const excluded = ["tests", "search", "--exclude", "b*", "--job", "un?t", "--confidence", "low"]
        assert.deepStrictEqual(
          (yield* json(excluded)).tests.map((each: { readonly test_name: string }) => each.test_name),
          ["a"]
        )
        const limited = yield* succeed(["tests", "search", "--limit", "1", "--sort", "test_name", "--direction", "asc"])
        assert.match(limited, /1 of 2; more with --limit\n$/)
        const found = yield* json(["tests", "search", "--health", "flaky", "--health", "broken"])
        assert.deepStrictEqual(
          [found.size, found.total, found.tests[0].test_name, found.tests[0].health_status],
          [1, 1, "b", "flaky"]
        )
        assert.match(
          yield* succeed(["tests", "show", "b"]),
          /^b is flaky\nhttp:\S+\/acme\/widgets\/tests\/[0-9a-f-]{36}\n\nid +[0-9a-f-]{36}\nlast +passed\n30 days +2 runs\n/
        )
        const details = yield* json(["tests", "show", found.tests[0].test_id])
        assert.deepStrictEqual([details.health_status, details.failures.length], ["flaky", 1])
        assert.match(
          yield* succeed(["tests", "explain", "b"]),
          /^b is flaky\nhttp:\S+\n\nCI \/ unit: flaky since .*\(contradiction: failed and passed on the same commit\)\n/
        )
        assert.strictEqual((yield* json(["tests", "explain", "b"])).identities[0].rule, "contradiction")
        const latest = yield* succeed(["tests", "explain", "b", "--limit", "1"])
        assert.match(latest, / passed *\nthe latest 1 of 2 executions; more with --limit\n$/)
        const unknown = yield* lazaret(["tests", "show", "c"])
        assert.strictEqual(unknown.exitCode, 5)
        assert.match(
          unknown.stderr,
          /^lazaret: c: No test of this name or id .* of acme\/widgets, or on another branch .*\. .*tests search.*\n$/
        )
        assert.strictEqual((yield* lazaret(["tests", "explain", "c"])).stderr, unknown.stderr)
        assert.strictEqual((yield* lazaret(["tests", "explain", ""])).exitCode, 2)
      })
  )

  it.effect("tests show counts the runs of 30 days, and events have the time of the run that changed a verdict", () =>
    Effect.gen(function* () {
      const finished = new Date(Date.now() - 20 * 86_400_000).toISOString()
      yield* uploadAt(finished, "o1", "old!")
      assert.match(yield* succeed(["tests", "show", "old"]), /\n30 days +1 run\n/)
      const printed = yield* succeed(["events", "--type", "test.health_changed"])
      assert.include(printed, finished.slice(0, 19).replace("T", " "))
    })
  )

  it.effect("a renamed test is proposed, becomes one test by an alias, and is two tests again without it", () =>
    Effect.gen(function* () {
      const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
      yield* uploadAt(ago(5), "n1", "pays cash!", "a")
      yield* upload("n2", "pays in cash", "a")
      assert.strictEqual(yield* succeed(["tests", "aliases"]), "no test has an alias\n")
      assert.match(yield* succeed(["tests", "renames"]), /^old name .*\npays cash +pays in cash /)
      const accepted = yield* succeed(["tests", "renames", "--accept"])
      assert.match(
        accepted,
        /^pays cash is the test pays in cash \(lazaret tests unalias [0-9a-f-]{36} revokes it\)\n$/
      )
      assert.match(yield* succeed(["tests", "show", "pays cash"]), /^pays in cash is \w+\n[^]*\n30 days +2 runs\n/)
      assert.match(yield* succeed(["tests", "search", "PAYS", "CASH"]), /^[^\n]+\n[^\n]* pays in cash [^\n]*\n$/)
      assert.match(yield* succeed(["tests", "aliases"]), /\nname +pays cash +pays in cash .* [0-9a-f-]{36}\n$/)
      yield* refuse(["tests", "alias", "pays in cash", "pays cash"], 5, /leads back to pays in cash/)
      yield* refuse(["tests", "alias", "pays cash"], 2, /--mask/)
      yield* refuse(["tests", "unalias", "nothing"], 5, /not an alias of acme\/widgets/)
      assert.strictEqual(yield* succeed(["tests", "unalias", "pays cash"]), "pays cash is a test of its own again\n")
      assert.match(yield* succeed(["tests", "show", "pays cash"]), /^pays cash is \w+\n[^]*\n30 days +1 run\n/)
      const mask = yield* succeed(["tests", "alias", "--mask", "takes <*>"])
      assert.match(mask, /^every name with the mask takes <\*> is the test takes <\*> /)
      yield* succeed(["tests", "unalias", "takes <*>"])
      assert.match(yield* succeed(["tests", "aliases", "--revoked"]), /\nmask +takes <\*> /)
    })
  )

  it.effect("open prints the link to the page of a repository or a test", () =>
    Effect.gen(function* () {
      assert.match(yield* succeed(["open"]), /^http:\S+\/acme\/widgets\n$/)
      assert.match(yield* succeed(["open", "b"]), /^http:\S+\/acme\/widgets\/tests\/[0-9a-f-]{36}\n$/)
      assert.match((yield* json(["open", "b"])).url, /\/tests\//)
    })
  )

  it.effect("the flags of every command stand in the help of lazaret alone", () =>
    Effect.gen(function* () {
      assert.include(yield* succeed(["--help"]), "--log-level")
      const help = yield* succeed(["tests", "show", "--help"])
      assert.include(help, "--repo")
      assert.notInclude(help, "--log-level")
    })
  )

  it.effect("quarantine add creates no quarantine when its end, owner or ticket is refused", () =>
    Effect.gen(function* () {
      const add = (...flags: ReadonlyArray<string>) =>
        lazaret(["quarantine", "add", "--force", "refused", "--reason", "r", ...flags])
      const past = yield* add("--expires", "2020-01-01T00:00:00Z")
      assert.deepStrictEqual(
        [past.exitCode, past.stderr],
        [
          2,
          'lazaret: "2020-01-01T00:00:00Z" is in the past: give a later end; to end a quarantine now: lazaret quarantine remove.\n'
        ]
      )
      const ticket = yield* add("--expires", "14d", "--ticket", "SHOP-12")
      assert.strictEqual(ticket.exitCode, 2)
      assert.match(ticket.stderr, /ticket must be an http or https URL/)
      assert.strictEqual((yield* add("--owner", "a".repeat(300))).exitCode, 2)
      assert.notInclude(yield* succeed(["quarantine", "list"]), "refused")
    })
  )

  it.effect("quarantine set changes only the given fields, and quarantine list shows the end and the scope", () =>
    Effect.gen(function* () {
      const env = { LAZARET_REPO: "acme/lives" }
      const add = ["quarantine", "add", "--force", "--reason", "r"]
      yield* succeed([...add, "--expires", "2126-05-01T00:00:00Z", "--owner", "@acme/web", "a"], env)
      yield* succeed([...add, "b"], env)
      const set = yield* json(["quarantine", "set", "--scope", "merge_queue", "a"], env)
      assert.deepInclude(set, { owner: "@acme/web", expires_at: "2126-05-01T00:00:00.000Z", scope: "merge_queue" })
      assert.deepInclude(yield* json(["quarantine", "set", "--owner", "", "a"], env), { ...set, owner: null })
      const list = yield* succeed(["quarantine", "list"], env)
      assert.match(list, /^test +where +since +ends +by/u)
      assert.match(list, /\na +every branch, merge queue only +[\d-]+ +2126-05-01 +key \w{6} +no/u)
      assert.match(list, /\nb +every branch +[\d-]+ +never +key /u)
      const soon = new Date(Date.now() + 1000 * 60).toISOString()
      yield* succeed(["quarantine", "set", "--expires", soon, "b"], env)
      const minute = soon.slice(0, 16).replace("T", " ")
      // In the last minute before midnight the end is tomorrow, and shown as a date.
      const isToday = soon.slice(0, 10) === new Date().toISOString().slice(0, 10)
      const ends = isToday ? `${minute} UTC` : soon.slice(0, 10)
      assert.include(yield* succeed(["quarantine", "list"], env), ` ${ends} `)
    })
  )

  it.effect("an action of the audit log that does not exist is refused with those that exist", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* succeed(["audit", "--action", "deleteWebhook"]), "there is no entry\n")
      const { exitCode, stderr } = yield* lazaret(["audit", "--action", "nope"])
      assert.strictEqual(exitCode, 2)
      assert.match(stderr, /There is no action "nope"\. The actions are .*createApplicationKey, .*signIn/u)
    })
  )

  it.effect("notifications list names every type of event as all, and a time zone needs a digest", () =>
    Effect.gen(function* () {
      const add = (...flags: ReadonlyArray<string>) =>
        lazaret(["notifications", "add", "--email", "web@example.com", ...flags])
      const zone = yield* add("--time-zone", "Europe/Paris")
      assert.deepStrictEqual(
        [zone.exitCode, zone.stderr],
        [2, "lazaret: --time-zone is that of a digest: give --daily or --weekly, too.\n"]
      )
      assert.match(
        yield* succeed(["notifications", "add", "--email", "web@example.com"]),
        /is created, and sends nothing yet: no mail server is configured: set LAZARET_SMTP_URL and LAZARET_MAIL_FROM on the server/u
      )
      yield* succeed(["notifications", "add", "--email", "web@example.com", "--type", "job_run.outage", "--daily", "9"])
      const list = yield* succeed(["notifications", "list"])
      assert.match(list, /web@example\.com +at once +all +all +never/)
      assert.match(list, /web@example\.com +daily 9:00 UTC +all +job_run\.outage +never/)
    })
  )

  it.effect("notifications of several repositories are added, listed and removed without a repository", () =>
    Effect.gen(function* () {
      const env = { LAZARET_REPO: "" }
      yield* refuse(
        ["notifications", "add", "--across", "acme", "--email", "web@example.com"],
        2,
        /"acme" is not a pattern of repositories: write owner\/pattern, such as acme\/\* or \*\/web-\*/u,
        env
      )
      const { id, repositories } = yield* json(
        ["notifications", "add", "--across", "acme/*", "--across", "other/web", "--email", "web@example.com"],
        env
      )
      assert.deepStrictEqual(repositories, ["acme/*", "other/web"])
      assert.match(
        yield* succeed(["notifications", "list", "--wide"], env),
        new RegExp(`${id} +acme/\\* other/web +web@example\\.com +at once +all +all +never`, "u")
      )
      yield* refuse(["notifications", "test", "--wide", id], 5, /no mail server is configured/u, env)
      assert.strictEqual(yield* succeed(["notifications", "remove", "--wide", id], env), `removed: ${id}\n`)
      assert.match(yield* succeed(["notifications", "list", "--wide"], env), /no notifier of several repositories/u)
      const { entries } = yield* json(["audit", "--action", "createWideNotifier"], env)
      assert.deepStrictEqual([entries[0].owner, entries[0].after.repositories], [null, ["acme/*", "other/web"]])
    })
  )

  it.effect("events lists events with the names of keys, and one type of them", () =>
    Effect.gen(function* () {
      const refused = yield* lazaret(["quarantine", "add", "e", "--reason", "r"])
      assert.deepStrictEqual(
        [refused.exitCode, refused.stderr],
        [2, 'lazaret: "e" has not run on the default branch. Check the name, or give --force.\n']
      )
      const similar = yield* lazaret(["quarantine", "add", "Other > b", "--reason", "r"])
      assert.match(similar.stderr, /Did you mean "b"\?/)
      const added = yield* lazaret(["quarantine", "add", "--force", "e", "--reason", "r"])
      assert.deepStrictEqual([added.exitCode, added.stderr], [0, ""])
      assert.match(
        yield* succeed(["events", "--type", "quarantine.created"]),
        /^at +by +what\n\d{4}-.* UTC  key "first admin key" .*\n$/
      )
      const { events } = yield* json(["events", "--limit", "1"])
      assert.deepStrictEqual([events.length, events[0].type], [1, "quarantine.created"])
      assert.strictEqual((yield* lazaret(["events", "--type", "x"])).exitCode, 2)
    })
  )

  it.effect("quarantine add asks for --force when the test is broken, and not when it is flaky", () =>
    Effect.gen(function* () {
      yield* upload("red", "sometimes fails!")
      const add = ["quarantine", "add", "sometimes fails", "--reason", "r"]
      yield* refuse(add, 2, /"sometimes fails" is broken, not flaky \(fails since .* UTC\): .*give --force, an end/u)
      yield* succeed([...add, "--force"])
      yield* succeed(["quarantine", "remove", "sometimes fails"])
      yield* upload("red", "sometimes fails", "b")
      yield* succeed(add)
    })
  )

  it.effect("repo lists repositories, shows their settings, and changes all of them or none", () =>
    Effect.gen(function* () {
      const env = { LAZARET_REPO: "acme/set" }
      assert.strictEqual((yield* lazaret(["repo", "show"], env)).exitCode, 5)
      const changed = yield* succeed(
        ["repo", "set", "auto_quarantine=flaky", "health.clean_passes=20", "default_branch=1"],
        env
      )
      // What was set, what it means from now on, and none of the other settings.
      assert.match(changed, /^default_branch +1\nauto_quarantine +flaky\nhealth\.clean_passes +20 {2}\(set here\)\n\n/)
      assert.match(changed, /All tests are evaluated at once, .* at most 10 .* never end/s)
      const all = yield* succeed(["repo", "show"], env)
      assert.match(all, /\nauto_removal +as auto_quarantine\n/)
      assert.match(all, /\nhealth\.clean_passes +20 {2}\(set here\)\nhealth\.clean_days +7\n/)
      const shown = yield* json(["repo", "show"], env)
      assert.deepStrictEqual([shown.default_branch, shown.overridden], ["1", ["health.clean_passes"]])
      const back = yield* json(["repo", "set", "default_branch=default", "health=default", "auto_removal=true"], env)
      assert.deepStrictEqual([back.default_branch, back.auto_removal, back.overridden], [null, true, []])
      const bogus = yield* lazaret(["repo", "set", "bogus=1"], env)
      assert.strictEqual(bogus.exitCode, 2)
      assert.strictEqual(bogus.stderr, "lazaret: bogus does not exist. lazaret repo show lists the settings.\n")
      const wrong = yield* lazaret(["repo", "set", "health.clean_pases=1", "auto_quarantine=yes"], env)
      assert.strictEqual(wrong.exitCode, 2)
      assert.match(
        wrong.stderr,
        /^lazaret: auto_quarantine must be .*; health\.clean_pases does not exist\. The settings are health\.clean_passes, .*$/m
      )
      assert.strictEqual((yield* lazaret(["repo", "set", "health"], env)).exitCode, 2)
      assert.match(yield* succeed(["repo", "list"]), /acme\/set +main or master +\d{4}-/)
    })
  )

  it.effect("owners keeps a CODEOWNERS, lists the owners of tests, and refuses other files in one line", () =>
    Effect.gen(function* () {
      const env = { LAZARET_REPO: "acme/owned" }
      yield* refuse(["owners", "list"], 5, /acme\/owned: The server has no data/u, env)
      yield* refuse(["owners", "show"], 5, /acme\/owned: The server has no data/u, env)
      yield* refuse(["owners", "remove"], 5, /acme\/owned: The server has no data/u, env)
      yield* refuse(["owners", "upload", join(folder, "none")], 2, /There is no file .*none: check the path\./, env)
      yield* refuse(["owners", "upload", folder], 2, /is a folder: name a CODEOWNERS\./, env)
      const large = fileOf("large", "# ".padEnd(1_000_001, "x"))
      yield* refuse(["owners", "upload", large], 2, /large is larger than 977 KiB, too large for a CODEOWNERS\./, env)
      const packed = fileOf("packed", new Uint8Array([0x1f, 0x8b, 0xff]))
      yield* refuse(["owners", "upload", packed], 2, /packed is not UTF-8 text/, env)
      const codeowners = fileOf("CODEOWNERS", "* @acme/all\n/src/ @acme/web\n")
      yield* refuse(["owners", "upload", "--dialect", "gitea", codeowners], 2, /--dialect is "gitea"/, env)
      assert.isFalse(
        (yield* succeed(["repo", "list"])).includes("acme/owned"),
        "a refused command creates no repository"
      )
      assert.strictEqual(
        yield* succeed(["owners", "upload", codeowners], env),
        "the CODEOWNERS that was uploaded counts: 2 rules\n"
      )
      assert.match(yield* succeed(["owners", "show"], env), /: 2 rules\n\n\* @acme\/all\n\/src\/ @acme\/web\n/)
      assert.strictEqual(yield* succeed(["owners", "list"], env), "no test ran in the last 30 days\n")
      yield* refuse(["tests", "search", "--owner", "web"], 2, /an owner such as @acme\/web, no-owner or no-file/, env)
      assert.strictEqual(yield* succeed(["tests", "search", "--owner", "@acme/nobody"], env), "no test matches\n")
      assert.match(yield* succeed(["owners", "remove"], env), /the uploaded CODEOWNERS of acme\/owned is removed/)
      yield* refuse(["owners", "remove"], 5, /No CODEOWNERS was uploaded/, env)
      assert.match(yield* succeed(["owners", "list"], env), /^acme\/owned has no CODEOWNERS: /)
    })
  )

  it.effect(
    "tests remove deletes a test with --force only, and says what is unknown: the test, or the repository",
    () =>
      Effect.gen(function* () {
        yield* upload("r1", "leaves", "stays")
        yield* refuse(["tests", "remove", "leaves"], 2, /leaves would be deleted from acme\/widgets .* Give --force/)
        assert.match(yield* succeed(["tests", "show", "leaves"]), /^leaves is healthy/)
        yield* refuse(
          ["tests", "remove", "--force", "leavse"],
          5,
          /leavse: No test of this name or id .*lazaret tests search PART/
        )
        for (const command of [["remove", "--force"], ["remove"], ["show"], ["explain"]]) {
          yield* refuse(["tests", ...command, "leaves"], 5, /has no data of the repository acme\/none/, {
            LAZARET_REPO: "acme/none"
          })
        }
        assert.strictEqual(yield* succeed(["tests", "remove", "--force", "leaves"]), "leaves is deleted\n")
        yield* refuse(["tests", "remove", "--force", "leaves"], 5, /leaves: No test of this name or id/)
        assert.match(yield* succeed(["tests", "show", "stays"]), /^stays is healthy/)
      })
  )

  it.effect("roles refuses a misspelt role, place, provider and id in one line, and gives nobody a role", () =>
    Effect.gen(function* () {
      yield* refuse(["roles", "set", "ada", "membr", "acme/widgets"], 2, /membr.*viewer.*member.*admin/)
      for (const place of ["acme/", "/widgets", "a/b/c", "..", ""]) {
        yield* refuse(["roles", "set", "ada", "member", place], 2, /is not a place: name a repository/)
      }
      yield* refuse(["roles", "set", "ada", "member", "acme", "--provider", "gihub"], 2, /--provider is "gihub"/)
      yield* refuse(["roles", "set", "ada", "member", "acme"], 5, /provider/)
      yield* refuse(["roles", "remove", "ada"], 2, /"ada" is not the id of a role: lazaret roles list shows the ids\./)
      yield* refuse(["roles", "remove", crypto.randomUUID()], 5, /There is no role with this id/)
      assert.strictEqual(yield* succeed(["roles", "list"]), "no role was given by hand\n")
    })
  )

  it.effect("keys creates keys, shows their secrets once, lists and revokes them", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* lazaret(["keys", "create", "x"])).exitCode, 2)
      const made = yield* json(["keys", "create", "--owner", "acme", "acme CI"])
      assert.match(made.secret, /^lzr_ci_/)
      const listed = yield* succeed(["keys", "list"])
      assert.include(listed, `${made.id}  acme CI`)
      assert.notInclude(listed, made.secret)
      const ci = { LAZARET_TOKEN: made.secret }
      assert.strictEqual((yield* lazaret(["keys", "list"], ci)).exitCode, 5, "a CI key manages no keys")
      const narrow = yield* json(["keys", "create", "--owner", "acme", "--scope", "upload", "reports"])
      assert.strictEqual(narrow.scope, "upload")
      assert.match(yield* succeed(["keys", "list"]), /reports +upload +acme/)
      const uploads = { LAZARET_TOKEN: narrow.secret }
      assert.strictEqual((yield* lazaret(["quarantine", "list"], uploads)).exitCode, 5, "a narrow key reads nothing")
      const admin = yield* json(["keys", "create", "--owner", "acme", "--scope", "admin", "acme admin"])
      const own = { LAZARET_TOKEN: admin.secret }
      const beyond = yield* lazaret(["keys", "create", "--all-owners", "all"], own)
      assert.match(beyond.stderr, /bound to the owner acme/)
      assert.strictEqual((yield* lazaret(["keys", "revoke", admin.id], own)).exitCode, 2)
      yield* succeed(["keys", "revoke", admin.id, "--own"], own)
      yield* succeed(["keys", "revoke", made.id])
      assert.strictEqual((yield* lazaret(["keys", "revoke", made.id])).exitCode, 5)
      assert.notInclude(yield* succeed(["keys", "list"]), made.id)
      assert.include(yield* succeed(["keys", "list", "--all"]), made.id)
    })
  )

  it.effect("tables fit the terminal, and are coloured only there", () =>
    Effect.gen(function* () {
      const name = `${"long ".repeat(40)}\u001B[31mname`
      yield* lazaret(["quarantine", "add", "--force", name, "--reason", "r".repeat(100)])
      const onTerminal = Effect.provideService(Terminal.Output, { isTTY: true, columns: 120 })
      const shown = yield* onTerminal(succeed(["quarantine", "list"]))
      const plain = yield* onTerminal(succeed(["quarantine", "list"], { NO_COLOR: "1" }))
      assert.include(shown, "\u001B[1m")
      assert.notInclude(plain, "\u001B")
      for (const line of plain.split("\n")) assert.isAtMost(line.length, 120)
      assert.include(plain, "…")
      assert.notInclude(yield* succeed(["quarantine", "list"]), "…")
    })
  )

  it.effect("completion prints scripts that know the commands", () =>
    Effect.gen(function* () {
      for (const shell of ["bash", "zsh", "fish", "powershell"]) {
        assert.match(yield* succeed(["completion", shell]), /quarantine[^]*tests-ended/)
      }
    })
  )
})
