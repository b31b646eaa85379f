import { SourceLinks } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

const widgets = { owner: "acme", repository: "widgets" }

describe("SourceLinks", () => {
  it("a job of GitHub Actions leads to the repository, also on a server of one's own and in another spelling", () => {
    assert.deepStrictEqual(
      SourceLinks.ofJob("https://git.acme.example/Acme/Widgets/actions/runs/7/job/9?pr=1", widgets),
      {
        commit: "https://git.acme.example/Acme/Widgets/commit/{commit}",
        comparison: "https://git.acme.example/Acme/Widgets/compare/{base}...{head}",
        pullRequest: "https://git.acme.example/Acme/Widgets/pull/{number}",
        file: "https://git.acme.example/Acme/Widgets/blob/{commit}/{path}"
      }
    )
  })

  it("a comparison leads to the changes after the first commit, and to the last commit alone without a first", () => {
    const links = SourceLinks.of("https://gitlab.com/acme/widgets", [], widgets)
    if (links === null) return assert.fail("no addresses")
    assert.strictEqual(
      SourceLinks.comparisonOf(links, "a1", "b/2"),
      "https://gitlab.com/acme/widgets/-/compare/a1...b%2F2"
    )
    assert.strictEqual(SourceLinks.comparisonOf(links, null, "b2"), "https://gitlab.com/acme/widgets/-/commit/b2")
  })

  it("a job of GitLab CI leads to the project, in whatever groups it is", () => {
    assert.strictEqual(
      SourceLinks.ofJob("https://gitlab.com/acme/web/widgets/-/jobs/7", widgets)?.file,
      "https://gitlab.com/acme/web/widgets/-/blob/{commit}/{path}"
    )
  })

  it("a job of another repository, of another CI system, or with another scheme leads nowhere", () => {
    for (const url of [
      "https://github.com/acme/other/actions/runs/7",
      "https://github.com/evil/widgets/actions/runs/7",
      "https://gitlab.com/acme/other/-/jobs/7",
      "https://jenkins.example/job/widgets/7/",
      "javascript://github.com/acme/widgets/actions/runs/7",
      "no address"
    ]) {
      assert.isNull(SourceLinks.ofJob(url, widgets), url)
    }
  })

  it("the page of a repository leads to its commits and pull requests, of GitLab by its host or by a last /-", () => {
    const links = (url: string) => SourceLinks.ofRepository(url)?.pullRequest
    assert.deepStrictEqual(
      [
        "https://github.com/acme/widgets",
        "https://github.com/acme/widgets.git",
        "https://git.example/acme/widgets/",
        "https://gitlab.example/acme/web/widgets",
        "https://git.example/web/widgets/-"
      ].map(links),
      [
        "https://github.com/acme/widgets/pull/{number}",
        "https://github.com/acme/widgets/pull/{number}",
        "https://git.example/acme/widgets/pull/{number}",
        "https://gitlab.example/acme/web/widgets/-/merge_requests/{number}",
        "https://git.example/web/widgets/-/merge_requests/{number}"
      ]
    )
    assert.isNull(SourceLinks.ofRepository("https://github.com"))
  })
})
