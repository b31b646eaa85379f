/** A reporter: it retries after every failure that may pass, in this test until the upload is acknowledged. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Upload } from "./Plan.ts"

/** The state that reporters and the test share. */
export interface Desk {
  readonly url: string
  /** Seconds of the real reporters times this. */
  readonly scale: number
  readonly token: string
  readonly acknowledged: (upload: Upload) => void
  readonly seen: (what: string) => void
  readonly fault: (what: string) => void
}

/** Seconds between attempts; after the last a real reporter gives up, and this one begins again. */
const pauses = [1, 2, 4, 8, 16] as const

/** Far more than a run of this test needs. */
const mostAttempts = 10_000

/** Uploads one report after the other, each until it is acknowledged. */
export const report = async (desk: Desk, uploads: ReadonlyArray<Upload>): Promise<void> => {
  for (const upload of uploads) {
    let attempts = 0
    while (!(await attempt(desk, upload, attempts === 0 ? upload.cutMs : null))) {
      attempts += 1
      if (attempts === mostAttempts) throw new Error(`${attempts} attempts: an upload was not acknowledged`)
      if (attempts % (pauses.length + 1) === 0) desk.seen("patience of a reporter ended")
      await sleep((pauses[(attempts - 1) % pauses.length] ?? 1) * 1000 * desk.scale)
    }
    desk.acknowledged(upload)
  }
}

/** Whether the upload was acknowledged. */
const attempt = async (desk: Desk, upload: Upload, cutMs: number | null): Promise<boolean> => {
  const query = new URLSearchParams(upload.query)
  try {
    const response = await fetch(`${desk.url}/v1/ci/acme/repositories/${upload.repository}/reports?${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${desk.token}`, "content-type": "application/xml" },
      body: upload.body,
      signal: AbortSignal.timeout(cutMs ?? 60_000)
    })
    const text = await response.text()
    desk.seen(`answer ${response.status}`)
    return judge(desk, upload, response, text)
  } catch {
    desk.seen(cutMs === null ? "connection lost" : "connection cut by the reporter")
    return false
  }
}

const judge = (desk: Desk, upload: Upload, response: Response, text: string): boolean => {
  if (response.status === 201) {
    // A receipt of another shape is reported as a fault.
    const { executions } = JSON.parse(text) as { readonly executions: Readonly<Record<string, number>> }
    const { duplicates = -1, received = -1, recorded = -1 } = executions
    const isWhole = received === upload.cases && (recorded === received ? duplicates : recorded) === 0
    if (!isWhole || recorded + duplicates !== received) desk.fault(`a receipt for ${upload.cases} cases says ${text}`)
    return true
  }
  if (response.status === 503 && response.headers.get("retry-after") === null) desk.fault("503 without Retry-After")
  if (response.status !== 503 && response.status !== 408)
    desk.fault(`an upload was answered ${response.status} ${text}`)
  return response.status < 500 && response.status !== 408
}
