/** Test reports in XML, by their root element. */
import * as Checkout from "../text/Checkout.ts"
import * as JUnitFile from "../junit/JUnitFile.ts"
import * as Limits from "../text/Limits.ts"
import type { Parsed } from "../text/Parsed.ts"
import type { Refusal } from "../text/Refusal.ts"
import type { Attributes } from "../xml/Xml.ts"
import * as XmlReader from "../xml/XmlReader.ts"
import type { Options } from "../junit/JUnit.ts"
import * as KnownFormat from "../report/KnownFormat.ts"
import type * as ReadFormat from "../report/ReadFormat.ts"
import * as TrxFile from "../trx/TrxFile.ts"

/**
 * A reader for one file.
 *
 * **Details**
 *
 * A prefix of the root element (`<j:testsuites>`) is taken off all elements. Eclipse wraps JUnit XML in a `<testrun>`.
 */
export const make = (options: Options = {}): XmlReader.Reader => {
  const limits = { ...Limits.standard, ...options.limits }
  return XmlReader.make(new Root(limits, Checkout.make(options.checkout)), limits)
}

/** The handler of the events of a format, and the root elements that it begins with. */
interface Handler {
  readonly roots: ReadonlyArray<string>
  readonly make: (limits: Limits.Limits) => XmlReader.File
}

const handlerOf: Readonly<Record<ReadFormat.KeyOf<"xml">, Handler>> = {
  junit: { roots: ["testsuites", "testsuite", "testrun"], make: JUnitFile.make },
  trx: { roots: ["TestRun"], make: TrxFile.make }
}

const handlers = Object.values(handlerOf)

/** Hands the events of a file on to the handler of its format. A class, because every event of a file passes here. */
class Root implements XmlReader.File {
  private readonly limits: Limits.Limits
  private file: XmlReader.File
  private isOpen = false
  private prefix = ""
  private isEclipse = false
  private readonly relative: Checkout.Relative

  constructor(limits: Limits.Limits, relative: Checkout.Relative) {
    this.limits = limits
    this.relative = relative
    this.file = JUnitFile.make(limits)
  }

  open(name: string, attributes: Attributes): Refusal | undefined {
    if (!this.isOpen) return this.openRoot(name, attributes)
    const local = this.localName(name)
    const own = this.withoutCheckout(attributes)
    return this.file.open(local, this.isEclipse && local === "testcase" ? ofEclipse(own) : own)
  }

  private withoutCheckout(attributes: Attributes): Attributes {
    let own = attributes
    for (const key of places) {
      const written = attributes[key]
      const relative = written === undefined ? undefined : this.relative(written)
      if (relative !== written && relative !== undefined) own = { ...own, [key]: relative }
    }
    return own
  }

  close(name: string): Refusal | undefined {
    return this.file.close(this.localName(name))
  }

  wantsText(): boolean {
    return this.file.wantsText()
  }

  text(text: string): void {
    this.file.text(text)
  }

  comment(text: string): void {
    this.file.comment?.(text)
  }

  parsed(): Parsed {
    return this.file.parsed()
  }

  private openRoot(name: string, attributes: Attributes): Refusal | undefined {
    this.isOpen = true
    this.prefix = name.slice(0, name.indexOf(":") + 1)
    const root = this.localName(name)
    this.isEclipse = root === "testrun"
    const handler = handlers.find(({ roots }) => roots.includes(root))
    if (handler === undefined) {
      const otherwise = `The root element is <${root.slice(0, 100)}>, which no readable report begins with.`
      return KnownFormat.refusal(KnownFormat.ofRoot(root), otherwise)
    }
    this.file = handler.make(this.limits)
    return this.file.open(this.isEclipse ? "testsuites" : root, this.withoutCheckout(attributes))
  }

  private localName(name: string): string {
    return this.prefix !== "" && name.startsWith(this.prefix) ? name.slice(this.prefix.length) : name
  }
}

/** The attributes that runners write paths into. */
const places = ["file", "filepath", "classname", "name"] as const

/** Eclipse says in attributes which tests were ignored, and which had no end when the run stopped. */
const ofEclipse = (attributes: Attributes): Attributes => {
  if (attributes["ignored"] === "true") return { ...attributes, status: "ignored" }
  return attributes["incomplete"] === "true" ? { ...attributes, status: "error" } : attributes
}
