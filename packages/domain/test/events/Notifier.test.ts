import { Instant, Notifier } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const zones = Schema.Literals(["UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Pacific/Chatham"])

/** The clocks of a zone at an instant. */
const clocksOf = (at: number, timeZone: string) => {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23"
  })
  const of = new Map(parts.formatToParts(at).map(({ type, value }) => [type, value]))
  return { weekday: of.get("weekday"), hour: Number(of.get("hour")), minute: Number(of.get("minute")) }
}

const names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

describe("Notifier.next", () => {
  it.prop(
    "a digest comes next at its hour and its day on the clocks of its zone, or later where clocks skip that hour",
    [between(0, 400 * 24 * 60), between(0, 23), Schema.NullOr(between(1, 7)), zones],
    ([minutes, hour, weekday, timeZone]) => {
      const after = Date.UTC(2026, 0, 1) + minutes * Instant.minute
      const schedule: Notifier.Schedule =
        weekday === null ? { _tag: "Daily", hour, timeZone } : { _tag: "Weekly", weekday, hour, timeZone }
      const at = Notifier.next(schedule, after)
      const clocks = clocksOf(at, timeZone)
      assert.isAbove(at, after)
      assert.isAtMost(at - after, (weekday === null ? 1 : 7) * Instant.day + 2 * Instant.hour)
      assert.isTrue((clocks.hour === hour && clocks.minute === 0) || clocks.hour === hour + 1, JSON.stringify(clocks))
      if (weekday !== null) assert.strictEqual(clocks.weekday, names[weekday - 1])
      assert.strictEqual(Notifier.next(schedule, at - 1), at)
    }
  )

  it("a notifier that writes at once does so now", () => {
    assert.strictEqual(Notifier.next({ _tag: "AtOnce" }, 5), 5)
  })
})

describe("Notifier.wants", () => {
  const event = { type: "test.health_changed", testId: "t", detail: {} } as const

  it("a notifier takes the types and owners that it names; an event about no test concerns everybody", () => {
    const of = (owners: ReadonlyArray<string>, types: Notifier.Notifier["types"] = []) => ({ owners, types })
    assert.isTrue(Notifier.wants(of([]), event, []))
    assert.isTrue(Notifier.wants(of(["@Acme/Web"]), event, ["@acme/web"]))
    assert.isFalse(Notifier.wants(of(["@acme/web"]), event, ["@acme/data"]))
    assert.isFalse(Notifier.wants(of(["@acme/web"]), event, []))
    assert.isTrue(Notifier.wants(of(["@acme/web"]), { ...event, detail: { owner: "@acme/web" } }, []))
    assert.isTrue(Notifier.wants(of(["@acme/web"]), { ...event, testId: null }, []))
    assert.isFalse(Notifier.wants(of([], ["queue.paused"]), event, []))
  })
})

describe("Notifier.waitAfter", () => {
  it("pauses grow from ten seconds to an hour, and never end", () => {
    const waits = Array.from({ length: 40 }, (_, index) => Notifier.waitAfter(index + 1))
    assert.deepStrictEqual([waits[0], waits[39]], [10 * Instant.second, Instant.hour])
    assert.deepStrictEqual(
      waits,
      waits.toSorted((a, b) => a - b)
    )
  })
})

describe("Notifier.covers", () => {
  const ref = (owner: string, repository: string) => ({ owner, repository })

  it("a pattern names repositories in any case, and an owner of its own only", () => {
    const isCovered = Notifier.covers(["Acme/web-*", "acme/api", "*/docs"])
    for (const [isNamed, owner, repository] of [
      [true, "acme", "Web-shop"],
      [true, "ACME", "API"],
      [true, "other", "docs"],
      [false, "acme", "api2"],
      [false, "other", "web-shop"],
      [false, "acme-2", "web-shop"]
    ] as const) {
      assert.strictEqual(isCovered(ref(owner, repository)), isNamed, `${owner}/${repository}`)
    }
  })

  it.prop(
    "the repositories that patterns name belong to the owners of the patterns",
    [
      Schema.Array(Schema.Literals(["a/*", "b/x?", "A/x", "*/y"])),
      Schema.Literals(["a", "b", "c"]),
      Schema.Literals(["x", "x1", "y"])
    ],
    ([patterns, owner, repository]) => {
      const owners = Notifier.ownersOf(patterns)
      assert.strictEqual(new Set(owners).size, owners.length)
      if (Notifier.covers(patterns)(ref(owner, repository))) {
        assert.isTrue(owners.includes(null) || owners.includes(owner))
      }
    }
  )
})
