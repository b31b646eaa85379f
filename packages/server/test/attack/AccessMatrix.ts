/** Every operation of the OpenAPI document with every kind of credential: who may, may, and nobody else. */
import { notes, type Part } from "./Part.ts"
import { ask, start, type Target } from "./Target.ts"

// The document is what clients read: the attack relies on it instead of the sources. Its schema is that of OpenAPI.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = Readonly<Record<string, any>>

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  /** The names of the credential kinds that the document accepts; none for an operation that is open. */
  readonly kinds: ReadonlyArray<string>
}

interface Credential {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** The kind in the document; null for a credential that must never be let in. */
  readonly kind: "AdminApplicationKey" | "CiApplicationKey" | null
  readonly owner: "noisy" | "quiet" | null
}

/** Routes that answer everyone, and do not look at a credential. */
export const part: Part = {
  name: "access",
  run: async () => {
    const { expect, findings } = notes()
    await using target = await start({ LAZARET_STORE: "memory" })
    const operations = operationsOf(JSON.parse((await ask(target.url, "/openapi.json", null)).text))
    const credentials = await credentialsOf(target)
    let requests = 0
    for (const operation of operations.filter(({ kinds }) => kinds.length > 0)) {
      for (const credential of credentials) {
        const { status, text } = await ask(target.url, operation.path, null, {
          method: operation.method,
          headers: { "content-type": "application/json", ...credential.headers },
          ...(operation.method === "GET" ? {} : { body: "{" })
        })
        requests += 1
        const what = `${operation.id} with ${credential.name}: ${status} ${text.slice(0, 200)}`
        expect(status < 500 && status !== 0, what)
        if (!isAccepted(operation, credential)) expect(status === 403, what)
        else if (operation.path.includes("/noisy/")) expect(status !== 403, what)
      }
    }
    return { figures: { operations: operations.length, credentials: credentials.length, requests }, findings }
  }
}

/** Whether the document says that a credential is of an accepted kind; it must also reach the owner. */
const isAccepted = ({ kinds, path }: Operation, { kind, owner }: Credential): boolean =>
  kind !== null && kinds.includes(kind) && (owner === null || owner === "noisy" || !path.includes("/noisy/"))

const operationsOf = (document: Json): ReadonlyArray<Operation> =>
  Object.entries<Json>(document["paths"]).flatMap(([path, methods]) =>
    Object.entries<Json>(methods)
      .filter(([method]) => ["get", "put", "post", "delete", "patch"].includes(method))
      .map(([method, operation]) => ({
        id: String(operation["operationId"]),
        method: method.toUpperCase(),
        path: filled(path, operation),
        kinds: (operation["security"] ?? []).flatMap((each: Json) => Object.keys(each))
      }))
  )

const uuid = "8c742819-d7c6-56de-8296-355d9339d400"

const filled = (path: string, operation: Json): string =>
  path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
    const schema: Json = operation["parameters"]?.find((each: Json) => each["name"] === name)?.schema ?? {}
    if (name === "owner") return "noisy"
    if (name === "repository") return "widgets"
    if (schema["enum"] !== undefined) return String(schema["enum"][0])
    return schema["type"] === "integer" ? "7" : uuid
  })

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const credentialsOf = async ({ keys, url }: Target): Promise<ReadonlyArray<Credential>> => {
  const create = async (body: object): Promise<Json> =>
    JSON.parse(
      (
        await ask(url, "/v1/application-keys", keys.admin, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body)
        })
      ).text
    )
  const revoked = await create({ name: "revoked", scope: "admin", owner: null })
  const revocation = await ask(url, `/v1/application-keys/${revoked["key_id"] ?? revoked["id"]}`, keys.admin, {
    method: "DELETE"
  })
  if (revocation.status !== 204) throw new Error(`a key could not be revoked: ${revocation.status} ${revocation.text}`)
  const foreign = await create({ name: "foreign", scope: "admin", owner: "quiet" })
  const own = await create({ name: "own", scope: "admin", owner: "noisy" })
  const stranger = (name: string, headers: Readonly<Record<string, string>>): Credential => ({
    name,
    headers,
    kind: null,
    owner: null
  })
  return [
    stranger("no credential", {}),
    stranger("an empty one", bearer("")),
    stranger("garbage", bearer("\u00ff\u00fe garbage")),
    stranger("another scheme", { authorization: `Basic ${btoa(`x:${keys.admin}`)}` }),
    stranger("a guess", bearer("lzr_admin_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")),
    stranger("the key in the query only", { "x-original-url": `/?token=${keys.admin}` }),
    stranger("two keys", bearer(`${keys.admin}, Bearer ${keys.admin}`)),
    stranger("a revoked key", bearer(String(revoked["secret"]))),
    stranger("a key in the cookie of a session", {
      cookie: `lazaret_session=${keys.admin}`,
      "sec-fetch-site": "same-origin"
    }),
    stranger("the cookie of a page of another site", {
      cookie: `lazaret_session=${String(revoked["secret"])}`,
      "sec-fetch-site": "cross-site"
    }),
    { name: "the admin key of all owners", headers: bearer(keys.admin), kind: "AdminApplicationKey", owner: null },
    {
      name: "the admin key of the owner",
      headers: bearer(String(own["secret"])),
      kind: "AdminApplicationKey",
      owner: "noisy"
    },
    {
      name: "the admin key of another owner",
      headers: bearer(String(foreign["secret"])),
      kind: "AdminApplicationKey",
      owner: "quiet"
    },
    { name: "the CI key of the owner", headers: bearer(keys.noisy), kind: "CiApplicationKey", owner: "noisy" },
    { name: "the CI key of another owner", headers: bearer(keys.quiet), kind: "CiApplicationKey", owner: "quiet" }
  ]
}
