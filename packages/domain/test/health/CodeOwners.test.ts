import { assert, describe, it } from "@effect/vitest"
import { CodeOwners } from "@lazaret/domain"
import * as fc from "fast-check"

const gitHub = (text: string, path: string) => CodeOwners.ownersOf(CodeOwners.parse(text, "github"), path)

const gitLab = (text: string, path: string) => CodeOwners.ownersOf(CodeOwners.parse(text, "gitlab"), path)

/** The example of GitHub's documentation. */
const documented = `
# This is a comment.
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/*  docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
`

describe("CODEOWNERS of GitHub", () => {
  it("CODEOWNERS is read as GitHub's documentation explains its example", () => {
    const owners = [
      ["README.md", ["@global-owner1", "@global-owner2"]],
      ["src/deep/a.js", ["@js-owner"]],
      ["main.go", ["docs@example.com"]],
      ["a/b.txt", ["@octo-org/octocats"]],
      ["build/logs/x/y.log", ["@octocat"]],
      ["build/out/x.log", ["@global-owner1", "@global-owner2"]],
      ["other/apps/x.rb", ["@octocat"]],
      ["docs/a.md", ["@doctocat"]],
      ["docs/build-app/troubleshooting.md", ["@doctocat"]],
      ["scripts/a.sh", ["@doctocat", "@octocat"]],
      ["deeply/nested/logs/a", ["@octocat"]],
      ["apps/web/a.rb", ["@octocat"]],
      ["apps/github/a.rb", []]
    ] as const
    for (const [path, expected] of owners) assert.deepStrictEqual(gitHub(documented, path), expected, path)
  })

  it("a star ends at a slash, and a folder with a star means its direct children", () => {
    const text = "docs/* docs@example.com"
    assert.deepStrictEqual(gitHub(text, "docs/getting-started.md"), ["docs@example.com"])
    assert.deepStrictEqual(gitHub(text, "docs/build-app/troubleshooting.md"), [])
    assert.deepStrictEqual(gitHub(text, "packages/docs/a.md"), [])
  })

  it("lines that GitHub ignores change nothing", () => {
    const text = "* @all\n!src @x\n[a-z].ts @x\nsrc/ someone\n# @x\nsrc\\ a/ @space"
    assert.deepStrictEqual(gitHub(text, "src/a.ts"), ["@all"])
    assert.deepStrictEqual(gitHub(text, "src a/a.ts"), ["@space"])
  })

  it("a path of another place has no owner", () => {
    for (const path of ["", "/etc/passwd", "../a", "a//b", "C:\\a/../b"])
      assert.deepStrictEqual(gitHub("* @all", path), [])
    assert.deepStrictEqual(gitHub("* @all", "./a"), ["@all"])
  })

  it("matches like the regular expression that a pattern stands for", () => {
    const name = fc.constantFrom("a", "b", "*", "a*", "**", "?")
    const pattern = fc
      .tuple(fc.constantFrom("", "/"), fc.array(name, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "/"))
      .map(([start, names, end]) => `${start}${names.join("/")}${end}`)
    const path = fc
      .array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join("/"))
    fc.assert(
      fc.property(pattern, path, (each, file) => {
        assert.strictEqual(
          gitHub(`${each} @x`, file).length > 0,
          expressionOf(each).test(`/${file}`),
          `${each} ${file}`
        )
      }),
      { numRuns: 2000 }
    )
  })

  it("a pattern of many stars is matched in little time", () => {
    const text = `${"**/a*a*a*a*/".repeat(500)}b @x`
    assert.deepStrictEqual(gitHub(text, "aaaaaaaaaaaaaaaa/".repeat(240).slice(0, -1)), [])
  })

  it("a file has no owners when its rules take too many steps, and a rule of the usual size never does", () => {
    const path = `${"a/".repeat(1000)}b.ts`
    const hostile = `${"**/a*/".repeat(100)}c @x\n`
    assert.deepStrictEqual(gitHub(`* @all\n${hostile.repeat(100)}`, path), [])
    assert.deepStrictEqual(gitHub(`* @all\n${hostile.repeat(100)}`, "src/b.ts"), ["@all"])
    const usual = Array.from({ length: 5000 }, (_, index) => `/packages/p${index}/**/*.test.ts @x\n*-${index}.ts @y\n`)
    assert.deepStrictEqual(gitHub(`* @all\n${usual.join("")}`, `${"packages/".repeat(12)}cart.ts`), ["@all"])
  })

  it("a path may take 50,000 steps and a hundred for each rule, and one that takes more has no owners", () => {
    // Each of these rules takes a step for every folder and one more; the first rule takes two for every folder.
    const path = "a/".repeat(101).slice(0, -1)
    const owners = (rules: number) => gitHub(`* @all\n${"x @x\n".repeat(rules)}`, path)
    assert.strictEqual(24_949 * 102 + 202, 50_000 + 100 * 24_950)
    assert.deepStrictEqual([owners(24_949), owners(24_950)], [["@all"], []])
  })

  it("a file of three million characters is read, and a longer one is ignored", () => {
    const { mostCharacters } = CodeOwners
    const file = (length: number) => gitHub("* @all".padEnd(length), "a.ts")
    assert.deepStrictEqual([file(3_000_000), file(3_000_001), mostCharacters], [["@all"], [], 3_000_000])
  })

  it("an owner has at most 255 characters, and a line with a longer one is ignored", () => {
    const owner = (length: number) => `@${"a".repeat(length - 1)}`
    const ownersWith = (length: number) => gitHub(`* @all\n*.ts ${owner(length)}`, "a.ts")
    assert.deepStrictEqual([ownersWith(255), ownersWith(256)], [[owner(255)], ["@all"]])
  })

  it("a path that no file system holds has no owners", () => {
    assert.deepStrictEqual(gitHub("* @all", "a".repeat(4096)), ["@all"])
    assert.deepStrictEqual(gitHub("* @all", "a".repeat(4097)), [])
  })

  it("a line that no platform would accept is read in little time", () => {
    const many = 100_000
    assert.deepStrictEqual(gitHub(`* @all\n*.ts a@${".".repeat(many)}@`, "b.ts"), ["@all"])
    assert.deepStrictEqual(gitHub(`* @all\n*.ts a@b.${"c".repeat(many)}`, "b.ts"), ["@all"])
    assert.deepStrictEqual(gitLab(`* @all\n[a]${" ".repeat(many)}x\u2028\n*.ts @x`, "b.ts"), ["@all", "@x"])
    assert.deepStrictEqual(gitLab(`[a] @a\u2028@b\n*.ts`, "b.ts"), ["@a", "@b"])
  })
})

/** The pattern as one regular expression for a path with a slash before it, built in another way than the implementation. */
const expressionOf = (pattern: string): RegExp => {
  const isAnchored = pattern.slice(0, -1).includes("/")
  const body = (pattern.endsWith("/") ? `${pattern}**` : pattern).replace(/^\/+/u, "")
  const isTree = !/(?:^|\/)\*\*?$/u.test(body)
  const source = `/${isAnchored ? "" : "**/"}${body}`
    .replaceAll(/\*\*$/gu, "\u0001")
    .replaceAll("/**", "\u0002")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]")
    .replaceAll("\u0002", "(?:/[^/]+)*")
    .replaceAll("\u0001", "[^/]+(?:/[^/]+)*")
  return new RegExp(`^${source}${isTree ? "(?:/.*)?" : ""}$`, "u")
}

describe("CODEOWNERS of GitLab", () => {
  it("each section has an owner for a file; an entry without owners has those of its section", () => {
    const text = `
* @default
README.md @doc
[Database] @database-team
model/db/
config/db/database-setup.md @docs-team
^[Docs][2] @docs
*.md
[database]
/extra/ @more`
    assert.deepStrictEqual(gitLab(text, "app/model/db/a.rb"), ["@default", "@database-team"])
    assert.deepStrictEqual(gitLab(text, "config/db/database-setup.md"), ["@default", "@docs-team", "@docs"])
    assert.deepStrictEqual(gitLab(text, "deep/README.md"), ["@doc", "@docs"])
    assert.deepStrictEqual(gitLab(text, "extra/a"), ["@default", "@more"])
  })

  it("paths without a leading slash match at every depth, and only a trailing slash means a folder", () => {
    assert.deepStrictEqual(gitLab("internal/README.md @x", "a/internal/README.md"), ["@x"])
    assert.deepStrictEqual(gitLab("/docs @x", "docs/a.md"), [])
    assert.deepStrictEqual(gitLab("/docs/ @x", "docs/b/a.md"), ["@x"])
    assert.deepStrictEqual(gitLab("/docs/* @x", "docs/b/a.md"), [])
    assert.deepStrictEqual(gitLab("/docs/**/*.md @x", "docs/a.md"), ["@x"])
  })

  it("an exclusion takes files out of its section alone, wherever it stands", () => {
    const text = "!*.lock\n* @all\n[Ruby]\n*.rb @ruby\n!/config/**/*.rb"
    assert.deepStrictEqual(gitLab(text, "a.lock"), [])
    assert.deepStrictEqual(gitLab(text, "config/x/a.rb"), ["@all"])
    assert.deepStrictEqual(gitLab(text, "lib/a.rb"), ["@all", "@ruby"])
  })

  it("a word that is not an owner is ignored", () => {
    assert.deepStrictEqual(gitLab("* someone @a/b/c @@developer # @no", "x"), ["@a/b/c", "@@developer"])
  })
})
