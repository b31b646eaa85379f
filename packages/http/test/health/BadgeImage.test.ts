import { assert, describe, it } from "@effect/vitest"
import * as BadgeImage from "../../src/health/BadgeImage.ts"

describe("the picture of a badge", () => {
  it("a badge names the worst status, or the number of healthy tests", () => {
    const texts = [
      { healthy: 1204, flaky: 0, broken: 0 },
      { healthy: 1204, flaky: 5, broken: 0 },
      { healthy: 0, flaky: 5, broken: 2 },
      { healthy: 0, flaky: 0, broken: 0 }
    ].map((counts) => [BadgeImage.ofRepository(counts).text, BadgeImage.ofRepository(counts).status])
    assert.deepStrictEqual(texts, [
      ["1,204 healthy", "healthy"],
      ["5 flaky", "flaky"],
      ["2 broken, 5 flaky", "broken"],
      ["no runs", null]
    ])
  })

  it("a badge shows markup in names as text", () => {
    const text = `<b onload="x">&'`
    const svg = BadgeImage.toSvg({ label: text, text, title: text, status: null })
    assert.strictEqual(svg.match(/&lt;b onload=&quot;x&quot;&gt;&amp;'/gu)?.length, 3)
    assert.notInclude(svg, "<b")
  })

  it("the texts of a badge have enough contrast with their colour", () => {
    const luminance = (color: string): number => {
      const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
        const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    for (const status of ["healthy", "flaky", "broken", null] as const) {
      const svg = BadgeImage.toSvg({ label: "a", text: "b", title: "c", status })
      const colors = [...svg.matchAll(/fill="(#[\da-f]{6})"/gu)].map(([, color = ""]) => color)
      assert.strictEqual(colors.length, 2)
      for (const color of colors) assert.isAbove(1.05 / (luminance(color) + 0.05), 4.5, color)
    }
  })
})
