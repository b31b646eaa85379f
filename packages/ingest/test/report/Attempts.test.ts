/** Attempts of producers that list a case again: folded where the producer says so, known where the report proves it. */
import { assert, describe, it } from "@effect/vitest"
import { parse } from "../junitText.ts"

const lines = (xml: string) =>
  parse(xml).cases.map(({ conclusion, flaky, reruns, testName }) =>
    [testName, conclusion, flaky ? "flaky" : "", reruns === 0 ? "" : `${reruns} reruns`].filter(Boolean).join(" | ")
  )

/** A case as trainer of fastlane writes it, with the name of its repetition. */
const run = (name: string, repetition: string, outcome = "") =>
  `<testcase name="${name}()" classname="CartTests" time="0.1">${outcome}` +
  `<properties><property name="repetition" value="${repetition}"/></properties></testcase>`

const failure = `<failure message="timed out"/>`

const trainer = (...cases: ReadonlyArray<string>) =>
  `<testsuites name="shop"><testsuite name="CartTests" time="1">${cases.join("")}</testsuite></testsuites>`

/** Cases of one name in one class, with the message of each failure; an empty one is a pass. */
const unknown = (attributes: string, ...messages: ReadonlyArray<string>) =>
  `<testsuite name="s">${messages
    .map(
      (each) => `<testcase name="pays" ${attributes}>${each === "" ? "" : `<failure message="${each}"/>`}</testcase>`
    )
    .join("")}</testsuite>`

const inClass = `classname="shop.Cart"`

describe("attempts", () => {
  it("repetitions of fastlane's trainer are attempts of one execution", () => {
    const xml = trainer(
      run("pays", "First Run", failure),
      run("pays", "Retry 1", failure),
      run("pays", "Retry 2"),
      run("fails", "First Run", failure),
      run("fails", "Retry 1", failure)
    )
    assert.deepStrictEqual(lines(xml), [
      "CartTests.pays() | passed | flaky | 2 reruns",
      "CartTests.fails() | failed | 1 reruns"
    ])
    assert.deepStrictEqual(parse(xml).warnings, [])
  })

  it("iterations that a person asked for are executions of their own", () => {
    const xml = trainer(run("pays", "Repetition 1 of 2", failure), run("pays", "Repetition 2 of 2"))
    assert.deepStrictEqual(lines(xml), ["CartTests.pays() | failed", "CartTests.pays() #2 | passed"])
  })

  it("a failure that Surefire lists twice, equal in text and time, is one failure", () => {
    const one = (time: string) =>
      `<testcase name="pays" classname="shop.Cart" time="${time}"><error message="no" type="java.io.IOException">at shop</error></testcase>`
    const surefire = (...cases: ReadonlyArray<string>) =>
      `<testsuite xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire/x.xsd" name="shop.Cart" tests="2" errors="2">${cases.join("")}</testsuite>`
    assert.deepStrictEqual(lines(surefire(one("1.5"), one("1.5"))), ["shop.Cart.pays | failed"])
    assert.deepStrictEqual(parse(surefire(one("1.5"), one("1.5"))).incomplete, [])
    assert.strictEqual(lines(surefire(one("1.5"), one("1.6"))).length, 2, "two executions")
    assert.strictEqual(lines(`<testsuite name="s">${one("1")}${one("1")}</testsuite>`).length, 2, "another producer")
  })

  it("equal failures of one place with a pass at the end are proven attempts, and stay cases of their own", () => {
    for (const place of [inClass, `file="cart.rb"`]) {
      const { attempts, cases, warnings } = parse(unknown(place, "no", "no", ""))
      const [name = "", ...others] = cases.map(({ testName }) => testName)
      assert.deepStrictEqual(others, [`${name} #2`, `${name} #3`])
      assert.deepStrictEqual(
        [...attempts],
        others.map((each) => [each, name])
      )
      assert.deepStrictEqual(warnings, [])
    }
  })

  it.each([
    ["another failure", unknown(inClass, "no", "other", "")],
    ["no pass at the end", unknown(inClass, "no", "no")],
    ["a pass before a failure", unknown(inClass, "", "no", "")],
    ["no place", unknown("", "no", "no", "")]
  ])("the parser numbers cases of equal names with %s by their order, and the report warns of it", (_, xml) => {
    const { attempts, warnings } = parse(xml)
    assert.deepStrictEqual([...attempts], [])
    assert.match(warnings.join(), /told apart by the order of the report alone \("(?:shop\.Cart|s)\.pays #2"\)/)
  })
})
