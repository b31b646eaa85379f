import { assert, describe, it } from "@effect/vitest"
import * as ServerUser from "../src/ServerUser.ts"

const line = (name: string, uid: number, gid: number) => `${name}:x:${uid}:${gid}:Some One:/home:/bin/sh`

describe("the user that root starts the server as", () => {
  it("the user that root starts the server as is one made for it, else the one of PostgreSQL's own packages, else nobody", () => {
    const lines = [
      line("root", 0, 0),
      line("nobody", 65534, 65533),
      line("postgres", 101, 104),
      line("lazaret", 900, 901)
    ]
    assert.deepStrictEqual(ServerUser.firstOf(lines.join("\n")), { uid: 900, gid: 901 })
    assert.deepStrictEqual(ServerUser.firstOf(lines.slice(0, 3).join("\n")), { uid: 101, gid: 104 })
    assert.deepStrictEqual(ServerUser.firstOf(lines.slice(0, 2).join("\n")), { uid: 65534, gid: 65533 })
    assert.strictEqual(ServerUser.firstOf(line("root", 0, 0)), null)
  })

  it("the user that root starts the server as is never root by another name", () => {
    assert.strictEqual(ServerUser.firstOf(line("postgres", 0, 0)), null)
  })
})
