/** Requests to providers whose answers are bounded in bytes and time. */
import { Duration } from "effect"

/** Bytes of an answer: key sets and ID tokens take some kilobytes. */
const mostBytes = 1024 * 1024

/** The options of a request as the libraries give them: absence may be `undefined`. */
type Options = { readonly [K in keyof RequestInit]: RequestInit[K] | undefined }

/**
 * A `fetch` that rejects an answer of more than 1 MiB, or one that has not ended within the time.
 *
 * **Details**
 *
 * The libraries end a request whose headers do not come in time, and read the body to its end.
 */
export const within =
  (patience: Duration.Duration) =>
  (url: string | URL | Request, options: Options = {}) => {
    const { body = null, signal, ...init } = options
    const late = AbortSignal.timeout(Duration.toMillis(patience))
    const ended = signal === undefined || signal === null ? late : AbortSignal.any([signal, late])
    return fetch(url, { ...(init as RequestInit), body, signal: ended }).then(bounded)
  }

/** The statuses of answers without a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

const bounded = async (response: Response): Promise<Response> => {
  const { body, headers, status, statusText } = response
  const chunks: Array<Uint8Array<ArrayBuffer>> = []
  let size = 0
  // An error in the loop cancels the body.
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > mostBytes) throw new Error(`the answer has more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return new Response(bodiless.has(status) ? null : new Blob(chunks), { headers, status, statusText })
}
