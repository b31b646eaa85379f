/** The traffic of a company: CI jobs that upload and ask the gate, people with the dashboard, and GitHub. */
import { createHmac } from "node:crypto"
import { seeded } from "../histories.ts"
import { type Answer, ask, json } from "./Answers.ts"
import * as Reports from "./Reports.ts"
import type { Kind } from "./Schedule.ts"
import { secrets } from "./Subject.ts"

/** A repository, the key of its CI jobs, and the ids of some of its tests. */
export interface Repository {
  readonly owner: string
  readonly name: string
  readonly key: string
  readonly tests: ReadonlyArray<string>
}

/** The number of results of an upload; every fiftieth upload is a large one. */
export const usual = 2000
const large = 20_000

/**
 * The kinds of requests, each with the number of them in a second.
 *
 * **Details**
 *
 * Two uploads in a second are 14 million results in an hour. Half of the gate's questions say which list they have.
 */
export const kinds = (url: string, repositories: ReadonlyArray<Repository>): ReadonlyArray<Kind> => {
  const random = seeded(7)
  const any = <A>(items: ReadonlyArray<A>): A => at(items, Math.floor(random() * items.length))
  return [
    {
      name: "uploads",
      perSecond: 2,
      send: (turn) => upload(url, at(repositories, turn), { number: turn, tests: turn % 50 === 49 ? large : usual })
    },
    { name: "gate questions", perSecond: 20, send: gate(url, () => any(repositories)) },
    { name: "dashboard reads", perSecond: 10, send: dashboard(url, () => any(repositories), any) },
    { name: "quarantines made and removed", perSecond: 0.5, send: quarantine(url, at(repositories, 0)) },
    { name: "deliveries of GitHub", perSecond: 1, send: (turn) => delivery(url, at(repositories, turn), turn) }
  ]
}

const at = <A>(items: ReadonlyArray<A>, turn: number): A => {
  const item = items[turn % items.length]
  if (item === undefined) throw new Error("the traffic needs repositories and tests")
  return item
}

/** Uploads the results of a run: each format is a job, every eleventh run is of another branch. */
export const upload = (
  url: string,
  { key, name, owner }: Omit<Repository, "tests">,
  { number, tests }: Pick<Reports.Run, "number" | "tests">
): Promise<Answer> => {
  const format = Reports.formatOf(number)
  const branch = number % 11 === 10 ? "topic" : "main"
  const commit = `c${Math.floor(number / 40)}`
  const run = { number, commit, branch, tests }
  const query = new URLSearchParams({ pipeline_name: "CI", job_name: format.name, run_id: `${number}`, commit, branch })
  const route = format.isSpans ? "traces" : `reports?${query}`
  return ask(`${url}/v1/ci/${owner}/repositories/${name}/${route}`, key, {
    method: "POST",
    headers: { "content-type": format.mediaType, "content-encoding": "gzip" },
    body: Reports.packed(format, run)
  })
}

const base = (url: string, { name, owner }: Repository): string => `${url}/v1/ci/${owner}/repositories/${name}`

/** The questions of a job before and after its tests. */
const gate = (url: string, any: () => Repository): Kind["send"] => {
  const tags = new Map<string, string>()
  return async (turn) => {
    const repository = any()
    const path = base(url, repository)
    if (turn % 4 === 3) {
      const names = Array.from({ length: 20 }, (_, index) => `keeps law ${index * 5} of area ${(index * 5) % 40}`)
      return ask(`${path}/quarantines/check`, repository.key, json("POST", { tests_names: names, branch: "main" }))
    }
    const tag = turn % 2 === 0 ? tags.get(path) : undefined
    const answer = await ask(
      `${path}/quarantines`,
      repository.key,
      tag === undefined ? {} : { headers: { "if-none-match": tag } }
    )
    const found = answer.headers.get("etag")
    if (found !== null) tags.set(path, found)
    return answer
  }
}

/** The pages that people open: the overview, a search, and those of a test. */
const dashboard = (
  url: string,
  anyRepository: () => Repository,
  any: <A>(items: ReadonlyArray<A>) => A
): Kind["send"] => {
  const ofRepository = [
    "summary",
    "trend",
    "tests",
    "tests/stats/flaky_tests",
    "search/tests?per_page=25&sort=failed_executions_ratio",
    "search/tests?per_page=25&test_name=*law+1*&health_status=flaky",
    "quarantine-debt"
  ]
  const ofTest = ["", "/stats/success_count", "/health-transitions", "/failures", "/executions?per_page=25", "/explain"]
  return (turn) => {
    const repository = anyRepository()
    const path = turn % 2 === 0 ? any(ofRepository) : `tests/${any(repository.tests)}${any(ofTest)}`
    return ask(`${base(url, repository)}/${path}`, secrets.admin)
  }
}

/** Quarantines a test in one turn, and removes that quarantine in the next one. */
const quarantine = (url: string, repository: Repository): Kind["send"] => {
  const path = `${base(url, repository)}/quarantines`
  const made: Array<Promise<Answer>> = []
  return async (turn) => {
    const last = await made.pop()
    if (last?.status === 201) {
      return ask(`${path}/${JSON.parse(last.text).id}`, repository.key, { method: "DELETE" })
    }
    const record = { test_name: `keeps law ${turn} of area ${turn % 40}`, reason: "a benchmark", branch: null }
    const answer = ask(path, repository.key, json("POST", record))
    made.push(answer)
    return answer
  }
}

/** A pull request enters or leaves the queue of GitHub. */
const delivery = (url: string, { name, owner }: Repository, turn: number): Promise<Answer> => {
  const number = Math.floor(turn / 2) + 1
  const body = JSON.stringify({
    action: turn % 2 === 0 ? "enqueued" : "dequeued",
    pull_request: {
      id: number,
      node_id: `PR_${number}`,
      number,
      title: "Pay with a card",
      user: { id: 7, login: "octocat" },
      base: { ref: "main" },
      updated_at: new Date().toISOString()
    },
    repository: { name, owner: { login: owner }, default_branch: "main" }
  })
  const signature = createHmac("sha256", secrets.gitHub).update(body).digest("hex")
  const headers = {
    "content-type": "application/json",
    "x-github-event": "pull_request",
    "x-github-delivery": `load-${turn}`,
    "x-hub-signature-256": `sha256=${signature}`
  }
  return ask(`${url}/v1/webhooks/github`, null, { method: "POST", headers, body })
}
