import { resolve } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { ConfigProvider, Effect } from "effect"
import * as Checkout from "../../src/ci/Checkout.ts"

/** The checkout in an environment with these variables. */
const checkoutIn = (env: Record<string, string>) =>
  Effect.provideService(Checkout.current, ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(env))

const here = resolve(".")

describe("checkout", () => {
  layer(NodeServices.layer)((it) => {
    const test = stepsOf(it)
    for (const name of Checkout.variables) {
      test(`the checkout is the folder of ${name} around the current folder`, function* () {
        assert.strictEqual(yield* checkoutIn({ [name]: here }), here)
        assert.strictEqual(yield* checkoutIn({ [name]: `${resolve("..")}/` }), resolve(".."))
      })
    }

    test("a variable of another place, or without a whole path, names no checkout", function* () {
      const own = yield* checkoutIn({})
      for (const place of [`${here}-2`, resolve("packages"), "~/project", "."]) {
        assert.strictEqual(yield* checkoutIn({ WORKSPACE: place }), own)
      }
      assert.isTrue(here.startsWith(own))
    })
  })
})
