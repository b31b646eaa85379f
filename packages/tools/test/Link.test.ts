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

  it("a link by reference and the source of an HTML image are links, too", () => {
    const text = 'See [a].\n\n<img src="b.png" alt="">\n\n[a]: c.md\n'
    assert.deepStrictEqual(
      Link.ofPage(page(text)).map(({ target }) => target),
      ["docs/how-to/b.png", "docs/how-to/c.md"]
    )
  })

  it("two headings with one text have anchors of their own, and an id of an element is an anchor", () => {
    assert.deepStrictEqual([...Link.anchors('# Same\n\n# Same\n\n<a id="2.9"></a>\n')], ["same", "same-1", "2.9"])
  })

  it("an anchor is the heading in lower case, with only its letters, digits, dashes and spaces", () => {
    const text = "# The contract of a store\n## `GET /v1`, and more\n```sh\n# no heading\n```"
    assert.deepStrictEqual([...Link.anchors(text)], ["the-contract-of-a-store", "get-v1-and-more"])
  })

  it("the anchor of a module is a name that it declares at its top level", () => {
    const module = "export const claim = 1\nclass Queue {}\nexport function* parts() {\n  const inner = 2\n}\n"
    assert.deepStrictEqual(
      ["claim", "Queue", "parts", "inner", "clai", "gone"].filter((name) => Link.declares(module, name)),
      ["claim", "Queue", "parts"]
    )
  })
})
