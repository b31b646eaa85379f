/** A disk without space: writes are refused, nothing acknowledged is lost, and space again is enough. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { notes, type Part } from "./Part.ts"
import { ask, start, type Target, uploadPath } from "./Target.ts"

/** The size of the disk: a new database takes about half of it. */
const mebibytes = 160

/** A file system in memory, of a fixed size; only the superuser can make one. */
export const part: Part = {
  name: "disk full",
  run: async () => {
    const { expect, findings } = notes()
    const home = mkdtempSync(join(tmpdir(), "lazaret-disk-"))
    if (!mounted(home)) return { figures: { "not run": "no file system can be mounted here" }, findings }
    try {
      const ballast = join(home, "ballast")
      mkdirSync(join(home, "data"), { mode: 0o700 })
      const before = await start({}, home)
      const acknowledged = [await upload(before, 1), await upload(before, 2)].filter((status) => status === 201).length
      fill(ballast)
      const refused: Array<number> = []
      for (let index = 10; index < 60; index++) refused.push(await upload(before, index))
      expect(refused.includes(503), `no upload was refused on a full disk: ${[...new Set(refused)].join(", ")}`)
      expect(
        !refused.some((status) => status !== 503 && status !== 201),
        `on a full disk: ${[...new Set(refused)].join(", ")}`
      )
      const taken = acknowledged + refused.filter((status) => status === 201).length
      await before[Symbol.asyncDispose]()
      rmSync(ballast, { force: true })
      await using after = await start({}, home)
      const { text } = await ask(after.url, "/v1/ci/noisy/repositories/widgets/search/tests", after.keys.noisy)
      const { total } = JSON.parse(text)
      expect(total === taken, `${taken} uploads were acknowledged, and ${total} tests are known`)
      const later = await upload(after, 99)
      expect(later === 201, `with space again an upload is ${later}`)
      return { figures: { acknowledged: taken, refused: refused.filter((status) => status === 503).length }, findings }
    } finally {
      execFileSync("umount", ["-l", home])
      rmSync(home, { recursive: true, force: true })
    }
  }
}

const mounted = (home: string): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=0777`, "tmpfs", home], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Writes until the disk has no space left. */
const fill = (file: string): void => {
  for (let index = 0; index < mebibytes * 16; index++) {
    try {
      writeFileSync(file, Buffer.alloc(65_536), { flag: "a" })
    } catch {
      return
    }
  }
}

/** Uploads a test of its own, and yields the status. */
const upload = async ({ keys, url }: Target, index: number): Promise<number> => {
  const stack = Array.from({ length: 4000 }, (_, line) => `at ${index * line} ${Math.sqrt(index + line)}`).join("\n")
  const { status } = await ask(url, uploadPath("noisy", "widgets", `c${index}`), keys.noisy, {
    method: "POST",
    headers: { "content-type": "application/xml" },
    body: `<testsuite><testcase name="law ${index}"><failure type="E" message="m${index}">${stack}</failure></testcase></testsuite>`
  })
  return status
}
