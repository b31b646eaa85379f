/** The tests that the runners of the page run: in each language the same four, of which two files hold one of the same title. */
import type { Sample } from "./Trial.ts"

/** A test that fails once in a folder: it leaves a file behind. */
const once = `const fs = require("node:fs")
const once = () => { if (!fs.existsSync(".ran")) { fs.writeFileSync(".ran", ""); throw new Error("flaky") } }
`

/** Tests of runners with \`describe\` and \`it\`; the second file repeats a title of the first. */
const describing = (head: string, flaky: boolean, skip = "it.skip"): Record<"a" | "b", string> => ({
  a: `${head}
describe("cart", () => {
  it("adds", () => {})
  it("fails", () => { throw new Error("no") })
  ${skip}("pays later", () => {})
  ${flaky ? `it("flickers", once)` : ""}
})
`,
  b: `${head}
describe("cart", () => { it("adds", () => {}) })
`
})

const vitest = describing(
  `import { describe, it } from "vitest"
import fs from "node:fs"
const once = () => { if (!fs.existsSync(".ran")) { fs.writeFileSync(".ran", ""); throw new Error("flaky") } }`,
  true
)
const jest = describing(`${once}jest.retryTimes(1)`, true)
const mocha = describing(once, true)
const node = describing(`const { describe, it } = require("node:test")`, false)
const playwright = describing(
  `const { test: it } = require("@playwright/test")
const { describe } = it
${once}`,
  true
)

const javaScript: ReadonlyArray<Sample> = [
  {
    name: "vitest",
    title: "Vitest",
    needs: null,
    packages: ["vitest@5.1.1"],
    files: { "src/a.test.js": vitest.a, "src/b.test.js": vitest.b },
    broken: ["src/broken.test.js", `import "./missing.js"`],
    reports: "reports/*.json",
    tests: 5,
    hasFiles: true,
    hasRetries: true
  },
  {
    name: "jest",
    title: "Jest",
    needs: null,
    packages: ["jest@30.5.2"],
    files: { "package.json": "{}", "src/a.test.js": jest.a, "src/b.test.js": jest.b },
    broken: ["src/broken.test.js", `require("./missing.js")`],
    reports: "reports/*.json",
    tests: 5,
    hasFiles: true,
    hasRetries: true
  },
  {
    name: "mocha",
    title: "Mocha",
    needs: null,
    packages: ["mocha@12.0.3", "mocha-ctrf-json-reporter@0.0.11"],
    files: { "test/a.js": mocha.a, "test/b.js": mocha.b },
    reports: "reports/*.json",
    tests: 5,
    hasFiles: true,
    hasRetries: true
  },
  {
    name: "playwright",
    title: "Playwright",
    needs: null,
    packages: ["@playwright/test@1.65.1"],
    files: { "tests/a.spec.js": playwright.a, "tests/b.spec.js": playwright.b },
    broken: ["tests/broken.spec.js", `require("./missing.js")`],
    reports: "reports/*.json",
    tests: 5,
    hasFiles: true,
    hasRetries: true
  },
  {
    name: "node:test",
    title: "node:test",
    needs: "node",
    files: { "test/a.test.js": node.a, "test/b.test.js": node.b },
    broken: ["test/broken.test.js", `require("./missing.js")`],
    reports: "reports/*.xml",
    tests: 4,
    hasFiles: true,
    hasRetries: false
  }
]

const pytest = `import pytest
class TestCart:
    def test_adds(self): pass
    def test_fails(self): assert 1 == 2
    @pytest.mark.skip(reason="later")
    def test_later(self): pass
    @pytest.mark.parametrize("amount", [1, 2])
    def test_rounds(self, amount): pass
`

const ruby = `RSpec.describe "cart" do
  it("adds") { expect(1).to eq(1) }
  it("fails") { expect(1).to eq(2) }
  it("pays later") { skip }
end
`

const php = `<?php
use PHPUnit\\Framework\\TestCase;
final class CartTest extends TestCase
{
    public function testAdds(): void { $this->assertTrue(true); }
    public function testFails(): void { $this->assertTrue(false); }
    public function testLater(): void { $this->markTestSkipped('later'); }
}
`

const go = `package cart

import "testing"

func TestAdds(t *testing.T)  {}
func TestFails(t *testing.T) { t.Error("no") }
func TestLater(t *testing.T) { t.Skip("later") }
func TestRounds(t *testing.T) {
	for _, name := range []string{"up", "down"} {
		t.Run(name, func(t *testing.T) {})
	}
}
`

const ctest = `enable_testing()
add_test(NAME adds COMMAND true)
add_test(NAME fails COMMAND false)
add_test(NAME later COMMAND sh -c "exit 77")
set_tests_properties(later PROPERTIES SKIP_RETURN_CODE 77)
`

const googletest = `#include <gtest/gtest.h>
TEST(Cart, Adds) {}
TEST(Cart, Fails) { EXPECT_EQ(1, 2); }
TEST(Cart, Later) { GTEST_SKIP(); }
`

const java = `package shop;
import org.junit.jupiter.api.*;
class CartTest {
  static int runs = 0;
  @Test void adds() {}
  @Test void fails() { Assertions.fail("no"); }
  @Test @Disabled void later() {}
  @Test void flickers() { if (runs++ == 0) Assertions.fail("flaky"); }
}
`

const other: ReadonlyArray<Sample> = [
  {
    name: "pytest",
    title: "pytest",
    needs: "pytest",
    files: { "tests/test_cart.py": pytest },
    broken: ["tests/test_broken.py", "import missing_module"],
    reports: "reports/*.xml",
    tests: 5,
    hasFiles: true,
    hasRetries: false
  },
  {
    name: "go",
    title: "go test",
    needs: "go",
    files: { "go.mod": "module acme.dev/shop\n", "cart/cart_test.go": go },
    reports: "reports/*.jsonl",
    tests: 6,
    hasFiles: false,
    hasRetries: false
  },
  {
    name: "rspec",
    title: "RSpec",
    needs: "rspec",
    files: { "spec/cart_spec.rb": ruby },
    reports: "reports/*.xml",
    tests: 3,
    hasFiles: true,
    hasRetries: false
  },
  {
    name: "phpunit",
    title: "PHPUnit",
    needs: "phpunit",
    files: { "tests/CartTest.php": php },
    reports: "reports/*.xml",
    tests: 3,
    hasFiles: true,
    hasRetries: false
  },
  {
    name: "ctest",
    title: "CTest",
    needs: "ctest",
    files: { "CMakeLists.txt": `cmake_minimum_required(VERSION 3.21)\nproject(shop NONE)\n${ctest}` },
    prepare: "cmake -S . -B build",
    reports: "reports/*.xml",
    tests: 3,
    hasFiles: false,
    hasRetries: false
  },
  {
    name: "googletest",
    title: "GoogleTest",
    needs: "g++",
    files: { "cart_test.cc": googletest },
    prepare: "g++ -o cart_test cart_test.cc -lgtest -lgtest_main -lpthread",
    reports: "reports/*.xml",
    tests: 3,
    hasFiles: true,
    hasRetries: false
  },
  {
    name: "surefire",
    title: "Maven Surefire",
    needs: "mvn",
    files: { "src/test/java/shop/CartTest.java": java },
    // A machine without Maven Central names the options and the versions of plug-ins that it has.
    prepare:
      'mkdir -p .mvn && printf %s "$LAZARET_MAVEN_CONFIG" > .mvn/maven.config; sed -i "s#<plugins>#<plugins>$LAZARET_MAVEN_PLUGINS#" pom.xml',
    reports: "target/surefire-reports/*.xml",
    tests: 4,
    hasFiles: false,
    hasRetries: true
  }
]

/** Every sample. */
export const samples: ReadonlyArray<Sample> = [...javaScript, ...other]
