/** The data that tests of the dashboard send beforehand, each in a repository of its own. */
import { key, url } from "./visit.ts"

/** A request with the admin key; it must succeed. */
export const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
  const isText = typeof body === "string"
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": isText ? "application/yaml" : "application/json" })
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) })
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
  return text === "" ? null : JSON.parse(text)
}

/** The path of the tests of a repository: of acme, unless an owner is named before a slash. */
export const ci = (repository: string): string => {
  const [name = "", owner = "acme"] = repository.split("/").toReversed()
  return `/v1/ci/${owner}/repositories/${name}`
}

/** The path of the merge queue of a repository of acme. */
export const queueOf = (repository: string): string => `/v1/repos/acme/${repository}`

/** Uploads a report; a test that is named twice ran twice. What else is given says more of its run, or the type of its failures. */
export const report = async (
  repository: string,
  commit: string,
  tests: ReadonlyArray<readonly [string, "passed" | "failed"]>,
  { exception = "E", ...run }: Readonly<Record<string, string>> = {}
): Promise<void> => {
  const cases = tests.map(([name, outcome]) => {
    const failure =
      outcome === "failed" ? `<failure type="${exception}" message="${name} is not as expected">no</failure>` : ""
    return `<testcase name="${name}" time="0.1">${failure}</testcase>`
  })
  const query = new URLSearchParams({ pipeline_name: "CI", job_name: "unit", commit: commit.repeat(40), ...run })
  const answer = await fetch(`${url}${ci(repository)}/reports?${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/xml" },
    body: `<testsuite>${cases.join("")}</testsuite>`
  })
  if (answer.status !== 201) throw new Error(await answer.text())
}

/** A key for CI jobs of acme. */
export const ciKey = async (): Promise<string> => {
  const body = { name: "job", owner: "acme", scope: "ci" }
  // The route answers what it made; what is not there makes a key that nobody knows.
  const made = (await call("POST", "/v1/application-keys", body)) as { readonly secret: string }
  return made.secret
}
