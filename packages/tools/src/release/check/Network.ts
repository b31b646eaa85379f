/** A process without a network: only its own loopback address, where Linux allows that. */
import { spawnSync } from "node:child_process"

const mark = "RELEASE_WITHOUT_NETWORK"

/** Whether this process runs without a network. */
export const isOff = (): boolean => process.env[mark] !== undefined

/**
 * Runs this process again in a network namespace of its own, and yields its exit code; null where the system does not allow
 * that.
 */
export const again = (): number | null => {
  const up = "ip link set lo up"
  const user = process.getuid?.() === 0 ? [] : ["--map-root-user"]
  if (spawnSync("unshare", ["--net", ...user, "sh", "-c", up]).status !== 0) return null
  const { status } = spawnSync("unshare", ["--net", ...user, "sh", "-c", `${up} && exec "$@"`, "sh", ...process.argv], {
    stdio: "inherit",
    env: { ...process.env, [mark]: "1" }
  })
  return status ?? 1
}
