/**
 * Loaded into the server before anything else (`--import`): answers each message of the parent process with the figures of
 * this process.
 */
import { readdirSync } from "node:fs"
import * as Sampler from "../stretch/Sampler.ts"

/**
 * The figures of the process.
 *
 * `memory` is the most that it has had, in MiB; `processor` its seconds of processor time so far; `stretch` the longest
 * stretches of its event loop since the last question.
 */
export interface Figures {
  readonly memory: number
  readonly handles: number
  readonly processor: number
  readonly stretch: Sampler.Stretch
}

const sampler = Sampler.start()

const figures = (): Figures => {
  const { maxRSS, systemCPUTime, userCPUTime } = process.resourceUsage()
  return {
    memory: Math.round(maxRSS / 1024),
    handles: readdirSync("/dev/fd").length,
    processor: (systemCPUTime + userCPUTime) / 1e6,
    stretch: sampler.take()
  }
}

process.on("message", () => process.send?.(figures()))
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"))
process.channel?.unref()
