/** Requests to the server, and how its answers are judged. */

/** An answer; status 0 when there was none. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A request besides its path. */
export interface Request {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** Sends a request to a server, with a key unless it is null. */
export const ask = async (
  url: string,
  key: string | null,
  { body, headers, method = "GET" }: Request = {}
): Promise<Answer> => {
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` }
  try {
    const response = await fetch(url, {
      method,
      headers: { ...authorization, ...headers },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(patience)
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch (error) {
    return { status: 0, headers: new Headers(), text: reasonOf(error) }
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? `${error.message}: ${reasonOf(error.cause)}` : String(error)

/** Sends JSON. */
export const json = (method: string, body: unknown): Request => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

/**
 * The verdict on an answer: `refused` asks the client to come again (503 with `Retry-After`); all others that are no success
 * are `wrong`.
 */
export const judge = ({ headers, status }: Answer): "answered" | "refused" | "wrong" => {
  if (status === 503 && headers.has("retry-after")) return "refused"
  return (status >= 200 && status < 300) || status === 304 ? "answered" : "wrong"
}

/** The milliseconds after which a client gives up. */
const patience = 120_000
