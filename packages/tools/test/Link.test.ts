import { assert, describe, it } from "@effect/vitest"
import * as Link from "../src/links/Link.ts"

const page = (text: string) => ({ path: "docs/how-to/page.md", text })

describe("Link", () => {
  it("a link leads to a file from the page that it stands in, with its line and its heading", () => {
    assert.deepStrictEqual(Link.ofPage(page("one\n[two](../reference/errors.md#not-found) and [three](#here)")), [
      { path: "docs/how-to/page.md", line: 2, target: "docs/reference/errors.md", anchor: "not-found" },
      { path: "docs/how-to/page.md", line: 2, target: "docs/how-to/page.md", anchor: "here" }
    ])
  })

  it("links to other hosts are left alone, and code holds none", () => {
    const text = "[a](https://example.com) `[b](c.md)`\n```md\n[d](e.md)\n```\n![f](g.png)"
    assert.deepStrictEqual(
      Link.ofPage(page(text)).map(({ line, target }) => [line, target]),
      [[5, "docs/how-to/g.png"]]
    )
  })

  it("an anchor is the heading in lower case, with only its letters, digits, dashes and spaces", () => {
    const text = "# The contract of a store\n## `GET /v1`, and more\n```sh\n# no heading\n```"
    assert.deepStrictEqual([...Link.anchors(text)], ["the-contract-of-a-store", "get-v1-and-more"])
  })
})
