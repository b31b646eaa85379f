import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Api, Operation } from "@lazaret/api"
import { Credential } from "@lazaret/domain"
import { Option } from "effect"
import { HttpApi } from "effect/http-api"
import { entries, type Json, operations } from "../description.ts"
import { type Call, serve, tokens } from "../wire.ts"

const uuid = "8c742819-d7c6-56de-8296-355d9339d400"

/** Values that each path parameter takes; `stat` has the first of its enumeration. */
const filled = (path: string, op: Json, repository: string): string =>
  path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
    if (name === "owner") return "acme"
    if (name === "repository") return repository
    if (name === "number") return "7"
    return name === "stat" ? op["parameters"].find((each: Json) => each["name"] === "stat")["schema"]["enum"][0] : uuid
  })

const body: Partial<Record<string, Call>> = {
  createQuarantine: { headers: { "content-type": "application/json" }, body: `{"test_name":"a","reason":"r"}` },
  setQuarantineLife: {
    headers: { "content-type": "application/json" },
    body: `{"expires_at":null,"owner":null,"ticket":null,"scope":"merge_queue"}`
  },
  changeQuarantineLife: { headers: { "content-type": "application/json" }, body: `{"scope":"merge_queue"}` },
  markFailure: { headers: { "content-type": "application/json" }, body: `{"truth":"real"}` },
  checkQuarantines: { headers: { "content-type": "application/json" }, body: `{"tests_names":["a"]}` },
  uploadReport: { headers: { "content-type": "application/xml" }, body: "<testsuite/>" },
  backfillRepository: {
    headers: { "content-type": "application/json" },
    body: `{"from":"2026-01-01T00:00:00Z"}`
  },
  changeSettings: { headers: { "content-type": "application/json" }, body: "{}" },
  removeTest: { headers: { "content-type": "application/json" }, body: `{"confirm":"x"}` },
  removeRepository: { headers: { "content-type": "application/json" }, body: `{"confirm":"x/y"}` },
  createApplicationKey: {
    headers: { "content-type": "application/json" },
    body: `{"name":"a","scope":"ci","owner":"other"}`
  },
  createGitHubApp: { headers: { "content-type": "application/json" }, body: `{"organization":null}` },
  createWebhook: {
    headers: { "content-type": "application/json" },
    body: `{"url":"http://a","secret":"0123456789abcdef"}`
  },
  createTestAliases: {
    headers: { "content-type": "application/json" },
    body: `{"test_aliases":[{"from":"a","to":"b"}]}`
  },
  uploadOwners: { headers: { "content-type": "application/json" }, body: `{"text":"* @acme/web"}` },
  createNotifier: {
    headers: { "content-type": "application/json" },
    body: `{"channel":{"kind":"email","to":["a@b"]}}`
  },
  pauseQueue: { headers: { "content-type": "application/json" }, body: `{"reason":"r"}` },
  pauseMergeQueue: { headers: { "content-type": "application/json" }, body: `{"reason":"r"}` },
  recordQueueEvents: { headers: { "content-type": "application/json" }, body: `{"events":[]}` },
  putQueuesConfiguration: { headers: { "content-type": "application/yaml" }, body: "queue_rules: []" }
}

/** Each answer has an id of its own, which says nothing. */
const withoutRequestId = async (answer: Response): Promise<string> =>
  JSON.stringify({ ...JSON.parse(await answer.text()), request_id: "" })

const context = "?pipeline_name=CI&job_name=unit&commit=abc"

/** The demand of each operation that declares one. */
const demands = new Map<string, Credential.Demand>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    const demand = Operation.demandOf(endpoint)
    if (Option.isSome(demand)) demands.set(endpoint.identifier, demand.value)
  }
})

const guarded = operations().flatMap((each) => {
  const demand = demands.get(each.op["operationId"])
  return demand === undefined ? [] : [{ ...each, demand }]
})

/** The operations that each narrow scope reaches: the whole table. */
const narrow = {
  upload: [
    "getApplication",
    "uploadReport",
    "uploadTraces",
    "uploadTracesByOldPath",
    "askShardDurations",
    "planShard",
    "recordStressRun"
  ],
  read: [
    "getApplication",
    "searchTests",
    "getTest",
    "getTestStatistic",
    "getHealthTransitions",
    "explainTest",
    "listTestFailures",
    "getTestFailure",
    "listTestExecutions",
    "listQuarantines",
    "getQuarantine",
    "getQuarantineLife",
    "listQuarantineLives",
    "getQuarantineDebt",
    "listCommitFailures",
    "listRunFailures",
    "listPullRequestFailures",
    "askTriage",
    "getVerdictPrecision",
    "listTests",
    "getSummary",
    "listOwners",
    "getTestOwners",
    "listIssues",
    "listBranchTests",
    "listOutages",
    "listCommits",
    "listPullRequests",
    "listTestAliases",
    "listTestRenames",
    "listCauses",
    "listCosts",
    "getCause",
    "listCauseTests",
    "getTestChange",
    "getCauseChange",
    "listLosses",
    "askShardDurations",
    "listSlower",
    "exportExecutions",
    "exportVerdicts",
    "listStressRuns"
  ]
}

const refused = { token: null } satisfies Call

const wrongHeaders: ReadonlyArray<readonly [string, string]> = [
  ["no token", "Bearer"],
  ["only blanks", "Bearer   "],
  ["another scheme", `Basic ${btoa(`x:${tokens.admin}`)}`],
  ["no scheme", tokens.admin],
  ["two tokens", `Bearer ${tokens.admin}, Bearer ${tokens.admin}`],
  ["an unknown token", "Bearer nobody"],
  ["a token in the wrong case", `Bearer ${tokens.admin.toUpperCase()}`],
  ["a revoked token", `Bearer ${tokens.revoked}`]
]

describe("access", () => {
  // One server for all operations: whatever one of them changes, the credentials stay what they are.
  let shared: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    shared = await serve()
  })
  afterAll(() => shared[Symbol.asyncDispose]())

  it("every operation below /v1 demands a credential, except the one that GitHub signs", () => {
    const below = operations().filter(({ path }) => path.startsWith("/v1/") && !path.startsWith("/v1/webhooks/"))
    assert.sameMembers(
      below.map(({ op }) => op["operationId"]),
      [...demands.keys()]
    )
  })

  for (const { demand, method, op, path } of guarded) {
    const id: string = op["operationId"]
    const isOfNoOwner = !path.includes("{owner}") && demand.reach === undefined
    const reachesOther = isOfNoOwner && demand.kinds.includes("admin")
    const call = (repository: string, token: string | null, query = context): readonly [string, Call] => [
      `${filled(path, op, repository)}${query}`,
      { method: method.toUpperCase(), token, ...body[id] }
    ]

    describe(`${id}`, () => {
      it(`${id} refuses a request without a valid Authorization header`, async () => {
        const [url, options] = call("widgets", null)
        assert.strictEqual((await shared.send(url, { ...options, ...refused })).status, 403)
        for (const [what, authorization] of wrongHeaders) {
          const headers = { ...options.headers, authorization }
          assert.strictEqual((await shared.send(url, { ...options, headers, token: null })).status, 403, what)
        }
      })

      it(`${id} accepts the credentials that it declares and no others`, async () => {
        const { kinds } = demand
        const expected: ReadonlyArray<readonly [string, boolean]> = [
          [tokens.admin, kinds.includes("admin")],
          [tokens.ci, kinds.includes("ci")],
          [tokens.uploadOnly, narrow.upload.includes(id)],
          [tokens.readOnly, narrow.read.includes(id)],
          [tokens.writer, kinds.includes("platform")],
          [tokens.reader, kinds.includes("platform") && demand.permission === "read"],
          [tokens.other, reachesOther]
        ]
        for (const [token, mayPass] of expected) {
          const { status } = await shared.send(...call("widgets", token))
          assert.strictEqual(status !== 403, mayPass, `${token} got ${status}`)
        }
      })

      it(`${id} gives an unauthorised caller the same answer for every request`, async () => {
        await shared.send(...call("widgets", tokens.admin))
        const answers = await Promise.all(
          [
            call("widgets", "nobody"),
            call("unknown", "nobody"),
            call("widgets", "nobody", "?per_page=0&start=x&sort=x&cursor=x&run_attempt=x&test_name=%zz"),
            call("bad%20name", "nobody")
          ].map(([url, options]) => shared.send(url, options))
        )
        const bodies = await Promise.all(answers.map((answer) => withoutRequestId(answer)))
        assert.deepStrictEqual(
          answers.map((answer) => answer.status),
          [403, 403, 403, 403]
        )
        assert.strictEqual(new Set(bodies).size, 1)
      })
    })
  }

  it("a narrow key reaches only what its scope names, and never more than a CI key", () => {
    for (const scope of ["upload", "read"] as const) {
      const reached = guarded.filter(({ demand }) => Credential.accepts(demand, scope))
      assert.sameMembers(
        reached.map(({ op }) => op["operationId"]),
        narrow[scope]
      )
      for (const { demand } of reached) assert.include(demand.kinds, "ci")
    }
  })

  it("a narrow key is a CI key to reporters, and does not sign in to the dashboard", async () => {
    await using server = await serve()
    for (const [token, scope] of [
      [tokens.uploadOnly, "upload"],
      [tokens.readOnly, "read"]
    ] as const) {
      const shown = await server.json("/v1/application", { token })
      assert.deepStrictEqual([shown.scope, shown.narrow_scope], ["ci", scope])
      const signIn = await server.send("/session", {
        method: "POST",
        token: null,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ key: token })
      })
      assert.strictEqual(signIn.status, 403)
    }
    assert.notProperty(await server.json("/v1/application", { token: tokens.ci }), "narrow_scope")
  })

  it("an authorised caller gets the faults of an invalid owner and repository", async () => {
    await using server = await serve()
    for (const path of [
      "/v1/ci/ac_me/repositories/wid%20gets/quarantines",
      `/v1/ci/${"a".repeat(41)}/repositories/${"b".repeat(101)}/quarantines`
    ]) {
      const answer = await server.send(path)
      assert.strictEqual(answer.status, 422)
      const problem = JSON.parse(await answer.text())
      assert.deepStrictEqual(
        problem.errors.map((fault: Json) => fault.location),
        ["path.owner", "path.repository"]
      )
      assert.strictEqual((await server.send(path, { token: tokens.writer })).status, 403)
    }
  })

  it("only health checks, pages, sign-in and signed deliveries are public", async () => {
    await using server = await serve()
    for (const path of ["/health/live", "/health/ready", "/openapi.json", "/docs"]) {
      assert.strictEqual((await server.send(path, { token: null })).status, 200, path)
    }
    const open = operations().filter(({ op }) => entries(op["security"]).length === 0)
    assert.deepStrictEqual(
      open.map(({ method, path }) => `${method} ${path}`),
      [
        "post /v1/webhooks/github",
        "post /v1/webhooks/gitlab",
        "get /session",
        "post /session",
        "delete /session",
        "get /health/live",
        "get /health/ready"
      ]
    )
  })
})
