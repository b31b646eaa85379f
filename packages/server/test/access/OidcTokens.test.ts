import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { UploadOrigin } from "@lazaret/domain"
import { UploadTokens } from "@lazaret/services"
import { Duration, Effect, Layer, Logger, Option, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpServer } from "effect/http"
import { SignJWT } from "jose"
import * as OidcTokens from "../../src/access/OidcTokens.ts"
import * as Server from "../../src/Server.ts"
import * as Issuer from "../issuer.ts"
import { run } from "../lazaretEffect.ts"
import { settings } from "../settings.ts"

type Issuer = Effect.Success<ReturnType<typeof Issuer.make>>

/** Runs a test with an issuer and a verifier that trusts it for acme. */
const withIssuer = <A, E>(
  path: "/_services/token" | "",
  test: (issuer: Issuer, originOf: (token: string) => Effect.Effect<unknown>) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const issuer = yield* Issuer.make(path)
    const options = {
      trusts: [{ owner: "acme", issuer: issuer.issuer }],
      audience: Issuer.audience,
      groups: new Map<string, string>(),
      cooldown: Duration.zero
    }
    const layer = Layer.provide(OidcTokens.layer(options), FetchHttpClient.layer)
    const originOf = (token: string) =>
      Effect.flatMap(UploadTokens, (tokens) => tokens.originOf(Redacted.make(token))).pipe(
        Effect.match({
          onFailure: (error) => (error._tag === "TokenRefused" ? error.reason : error._tag),
          onSuccess: (origin) => Option.getOrNull(origin)
        }),
        Effect.provide(layer)
      )
    return yield* test(issuer, originOf)
  }).pipe(Effect.scoped)

const codeOf = (origin: unknown): unknown => (origin as UploadOrigin.UploadOrigin).code

describe("tokens of GitHub Actions", () => {
  it.live("a valid token proves repository, run, attempt, branch and commit", () =>
    withIssuer("/_services/token", (issuer, originOf) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* originOf(yield* issuer.sign(Issuer.push)), {
          repository: { owner: "acme", repository: "widgets" },
          platform: { issuer: issuer.issuer, ownerId: "11", repositoryId: "71" },
          subject: "GitHub Actions run 7 of acme/widgets",
          runId: "7",
          runAttempt: 1,
          code: { _tag: "ref", branch: "main", commit: "4f1c" }
        })
      })
    )
  )

  it.live("only events that run a commit of the repository itself prove whose code it is", () =>
    withIssuer("/_services/token", (issuer, originOf) =>
      Effect.gen(function* () {
        const of = (claims: object) => Effect.flatMap(issuer.sign({ ...Issuer.pull, ...claims }), originOf)
        const own = { _tag: "pull", head: "topic", base: "main" }
        const unproven = { _tag: "unproven", head: "topic", base: "main", actor: "ada" }
        assert.deepStrictEqual(codeOf(yield* of({})), own)
        for (const repository_visibility of ["private", "internal"]) {
          assert.deepStrictEqual(codeOf(yield* of({ repository_visibility })), unproven, repository_visibility)
        }
        for (const event_name of ["pull_request_target", "pull_request_review", "workflow_run", "issue_comment"]) {
          assert.deepStrictEqual(codeOf(yield* of({ event_name, ref: "refs/heads/main" })), unproven, event_name)
        }
        const tag = yield* of({ event_name: "release", ref: "refs/tags/main" })
        assert.deepStrictEqual(codeOf(tag), { _tag: "ref", branch: "refs/tags/main", commit: "4f1c" })
      })
    )
  )

  it.live("a key that appears with a rotation is read, and one that is gone is refused", () =>
    withIssuer("/_services/token", (issuer, originOf) =>
      Effect.gen(function* () {
        const first = yield* issuer.sign(Issuer.push)
        assert.isObject(yield* originOf(first))
        yield* issuer.rotate("k2")
        assert.isObject(yield* originOf(yield* issuer.sign(Issuer.push)))
        assert.strictEqual(yield* originOf(first), "It is not signed with a published key of its issuer.")
      })
    )
  )

  it.live("an invalid token is refused with what is wrong with it", () =>
    withIssuer("/_services/token", (issuer, originOf) =>
      Effect.gen(function* () {
        const good = yield* issuer.sign(Issuer.push)
        const [header = "", payload = "", signature = ""] = good.split(".")
        const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
        const changed = JSON.parse(Buffer.from(payload, "base64url").toString())
        const secret = new TextEncoder().encode(JSON.stringify(issuer.publicKey()))
        const shared = yield* Effect.promise(() =>
          new SignJWT(changed).setProtectedHeader({ alg: "HS256", kid: "k1" }).sign(secret)
        )
        const unsigned = "It is not signed with a published key of its issuer."
        const cases: ReadonlyArray<readonly [what: string, token: string, reason: string]> = [
          [
            "expired",
            yield* issuer.sign(Issuer.push, { expires: "-60s" }),
            "It has expired: each job needs a token of its own."
          ],
          [
            "another audience",
            yield* issuer.sign(Issuer.push, { audience: "https://github.com/acme" }),
            'Its audience is ["https://github.com/acme"]: ask the CI system for a token whose audience is https://tests.example.com.'
          ],
          [
            "another issuer",
            yield* issuer.sign(Issuer.push, { issuer: "https://token.actions.githubusercontent.com" }),
            'This server does not trust its issuer "https://token.actions.githubusercontent.com" (LAZARET_OIDC_ISSUERS).'
          ],
          ["an unknown key", yield* issuer.sign(Issuer.push, { kid: "k9" }), unsigned],
          ["no algorithm", `${part({ alg: "none", kid: "k1" })}.${payload}.`, unsigned],
          ["no algorithm, with the signature", `${part({ alg: "none", kid: "k1" })}.${payload}.${signature}`, unsigned],
          ["the published key as a shared secret", shared, unsigned],
          ["other claims", `${header}.${part({ ...changed, repository: "acme/gadgets" })}.${signature}`, unsigned],
          [
            "an owner that is not trusted",
            yield* issuer.sign({ ...Issuer.push, repository: "evil/widgets" }),
            `This server accepts no tokens of ${issuer.issuer} for the owner evil.`
          ],
          [
            "claims of no job",
            yield* issuer.sign({ sub: "x" }),
            "Its claims are not those of a job of GitHub Actions or GitLab."
          ],
          ["no payload", `${header}.${part([])}.${signature}`, "It is not a signed token."],
          ["too long", `${header}.${"a".repeat(20_000)}.${signature}`, "It is not a signed token."]
        ]
        for (const [what, token, reason] of cases) assert.strictEqual(yield* originOf(token), reason, what)
      })
    )
  )

  it.live("a token is not refused while its issuer does not respond", () =>
    withIssuer("/_services/token", (issuer, originOf) =>
      Effect.gen(function* () {
        issuer.state.isDown = true
        assert.strictEqual(yield* originOf(yield* issuer.sign(Issuer.push)), "IssuerUnavailable")
      })
    ).pipe(Effect.provide(Logger.layer([])))
  )
})

describe("tokens of GitLab", () => {
  const proven = (claims: object) =>
    withIssuer("", (issuer, originOf) =>
      Effect.map(Effect.flatMap(issuer.sign({ ...Issuer.job, ...claims }), originOf), codeOf)
    )

  it.live("a job of a branch proves it, and so does a child of a pipeline of a protected one", () =>
    withIssuer("", (issuer, originOf) =>
      Effect.gen(function* () {
        const of = (claims: object) => Effect.flatMap(issuer.sign({ ...Issuer.job, ...claims }), originOf)
        const origin = yield* of({})
        const platform = { issuer: issuer.issuer, ownerId: "12", repositoryId: "72" }
        assert.deepInclude(origin as object, { runId: "9", runAttempt: null, platform })
        const main = { _tag: "ref", branch: "main", commit: "4f1c" }
        assert.deepStrictEqual(codeOf(origin), main)
        assert.deepStrictEqual(codeOf(yield* of({ pipeline_source: "parent_pipeline", ref_protected: "true" })), main)
        assert.isString(yield* of({ project_path: "acme/group/widgets" }), "a subgroup has no name here")
      })
    )
  )

  it.live(
    "a merge request of unknown code speaks for no branch, though its branch may have the name of the default one",
    () =>
      Effect.gen(function* () {
        const unproven = { _tag: "unproven", head: "main", base: null, actor: "ada" }
        for (const source of [
          "merge_request_event",
          "parent_pipeline",
          "external_pull_request_event",
          "of the future"
        ]) {
          assert.deepStrictEqual(yield* proven({ pipeline_source: source }), unproven, source)
        }
      })
  )

  const ofMergeRequest = { pipeline_source: "merge_request_event", ref: "topic", ref_path: "refs/heads/topic" }

  it.live("a merge request of the project itself is proven by the project that the job names", () =>
    Effect.gen(function* () {
      const claims = { ...ofMergeRequest, job_project_path: "acme/widgets" }
      assert.deepStrictEqual(yield* proven(claims), { _tag: "pull", head: "topic", base: null })
      assert.deepStrictEqual(yield* proven({ ...claims, target_ref: "main" }), {
        _tag: "pull",
        head: "topic",
        base: "main"
      })
    })
  )

  it.live("a merge request of a fork counts for the project in which its job runs, as a fork's", () =>
    withIssuer("", (issuer, originOf) =>
      Effect.gen(function* () {
        const claims = {
          ...Issuer.job,
          ...ofMergeRequest,
          project_path: "mallory/widgets",
          project_id: 9,
          namespace_id: 8
        }
        const job = { job_project_path: "acme/widgets", job_project_id: "72", job_namespace_id: "12" }
        const own = yield* originOf(yield* issuer.sign({ ...claims, ...job }))
        const platform = { issuer: issuer.issuer, ownerId: "12", repositoryId: "72" }
        assert.deepInclude(own as object, { repository: { owner: "acme", repository: "widgets" }, platform })
        assert.deepStrictEqual(codeOf(own), { _tag: "unproven", head: "topic", base: null, actor: "mallory" })
        assert.isString(yield* originOf(yield* issuer.sign(claims)), "the owner of the fork is not trusted")
      })
    )
  )
})

const file = fileURLToPath(new URL("../../../ingest/test/fixtures/pytest/xunit2.xml", import.meta.url))

const junit = `<testsuite><testcase name="adds"/></testsuite>`

describe("uploads without a key", () => {
  it.live("a token uploads to its own repository, for its own run, and reaches nothing else", () => {
    const log: Array<string> = []
    return Effect.gen(function* () {
      const issuer = yield* Issuer.make("/_services/token")
      const trusted = {
        ...settings,
        publicUrl: Issuer.audience,
        oidcIssuers: [{ owner: "acme", issuer: issuer.issuer }]
      }
      yield* Effect.gen(function* () {
        const url = Server.urlOf(yield* HttpServer.HttpServer)
        const client = yield* HttpClient.HttpClient
        const send = (method: "GET" | "POST", path: string, token: string) =>
          HttpClientRequest.make(method)(`${url}${path}`).pipe(
            HttpClientRequest.bearerToken(token),
            method === "GET" ? (request) => request : HttpClientRequest.bodyText(junit, "application/xml"),
            client.execute,
            Effect.flatMap((response) => Effect.map(response.json, (body) => ({ status: response.status, body }))),
            Effect.scoped
          )
        const upload = (token: string, query = "", of = "acme/repositories/widgets") =>
          send("POST", `/v1/ci/${of}/reports?pipeline_name=CI&job_name=unit&commit=4f1c${query}`, token)
        const token = yield* issuer.sign(Issuer.push)
        const refusals = [
          yield* upload(token, "", "acme/repositories/gadgets"),
          yield* upload(token, "&branch=release"),
          yield* upload(token, "&run_id=8"),
          yield* upload(yield* issuer.sign(Issuer.push, { audience: "https://other.example.com" })),
          yield* send("GET", "/v1/ci/acme/repositories/widgets/quarantines", token),
          yield* send("GET", "/v1/repositories", token)
        ]
        assert.deepStrictEqual(
          refusals.map(({ status }) => status),
          [403, 403, 403, 403, 403, 403]
        )
        const none = yield* send("GET", "/v1/ci/acme/repositories/widgets/search/tests", "key-of-this-server")
        assert.strictEqual(none.status, 404, "nothing was stored")
        assert.strictEqual((yield* upload(token, "&idempotency_key=k")).status, 201)
        const fork = { ...Issuer.pull, repository_visibility: "private", head_ref: "main", run_id: "8" }
        assert.strictEqual((yield* upload(yield* issuer.sign(fork), "&branch=main&idempotency_key=k")).status, 201)
        // The upload of the unproven pull request is stored, and speaks for no branch of the repository itself.
        const tests = "/v1/ci/acme/repositories/widgets"
        const found = yield* send("GET", `${tests}/search/tests`, "key-of-this-server")
        const [row] = (found.body as { readonly tests: ReadonlyArray<{ readonly test_id: string }> }).tests
        const executed = yield* send("GET", `${tests}/tests/${row?.test_id}/executions`, "key-of-this-server")
        const { executions } = executed.body as { readonly executions: ReadonlyArray<object> }
        assert.deepInclude(executions[0], { executions_count: 1 })
        const job = { ...Issuer.push, run_id: "9" }
        const { exitCode } = yield* run(["ingest", "--pipeline", "CI", "--job", "lint", file], {
          LAZARET_URL: url,
          LAZARET_REPO: "acme/widgets",
          LAZARET_DATA_DIR: "no-such-folder",
          LAZARET_ID_TOKEN: yield* issuer.sign(job),
          GITHUB_ACTIONS: "true",
          GITHUB_SHA: job.sha,
          GITHUB_REF_NAME: "main",
          GITHUB_RUN_ID: job.run_id
        })
        assert.strictEqual(exitCode, 0)
        // Somebody else registers the name again: the numbers at the platform are others.
        const again = { ...Issuer.push, repository_id: "99", run_id: "10" }
        const stranger = yield* upload(yield* issuer.sign(again))
        assert.strictEqual(stranger.status, 403)
        const { detail } = stranger.body as { readonly detail: string }
        assert.include(
          detail,
          `has the number 71 at ${issuer.issuer} since its first upload, and the token is of the number 99`
        )
        const foreign = yield* issuer.sign({ ...Issuer.push, repository: "acme/gadgets", repository_owner_id: "12" })
        assert.strictEqual((yield* upload(foreign, "", "acme/repositories/gadgets")).status, 403, "another owner")
        const gadgets = yield* send("GET", "/v1/ci/acme/repositories/gadgets/search/tests", "key-of-this-server")
        assert.strictEqual(gadgets.status, 404, "nothing was stored")
        const listed = yield* send("GET", "/v1/pins", "key-of-this-server")
        const { pins } = listed.body as {
          readonly pins: ReadonlyArray<{ readonly id: string; readonly repository: string }>
        }
        assert.deepStrictEqual(pins.map(({ repository }) => repository ?? "the owner").toSorted(), [
          "the owner",
          "widgets"
        ])
        const [pin = ""] = /[0-9a-f-]{36}/u.exec(detail) ?? []
        const connection = { LAZARET_URL: url, LAZARET_TOKEN: "key-of-this-server", LAZARET_DATA_DIR: "no-such-folder" }
        assert.include((yield* run(["pins", "list"], connection)).stdout, "acme/widgets")
        assert.strictEqual((yield* run(["pins", "remove", pin], connection)).exitCode, 0)
        assert.strictEqual((yield* upload(yield* issuer.sign(again))).status, 201)
        assert.strictEqual((yield* upload(yield* issuer.sign({ ...Issuer.push, run_id: "11" }))).status, 403)
        const application = yield* send("GET", "/v1/application", token)
        assert.deepInclude(application.body as object, { scope: "ci", narrow_scope: "upload" })
        assert.notInclude(log.join("\n"), token.slice(0, 40))
      }).pipe(Effect.provide([Server.layer(trusted, Redacted.make("key-of-this-server")), FetchHttpClient.layer]))
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void log.push(line))])))
  })
})
