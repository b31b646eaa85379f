/** Sentences for what is wrong with an XML file. */
import type { Refusal } from "../text/Refusal.ts"

/** The message for the user, from a message of the XML library. */
export const explained = (message: string): string => {
  const plain = message.replace(/^\d+:\d+: /, "")
  const match = explanations.find(([start]) => plain.startsWith(start))
  return match === undefined
    ? `The report is not well-formed XML: ${sentence(plain)}`
    : match[1](plain.slice(match[0].length))
}

/** The refusal for an unexpected exception of a callback or the library. */
export const unexpected = (thrown: unknown): Refusal => ({
  reason: "malformed",
  message: `The report is not well-formed XML: ${thrown instanceof Error ? sentence(thrown.message) : "it cannot be read."}`
})

/** An `&` that begins no reference. */
export const bareAmpersand = "The report holds an `&` that is not escaped: the reporter must write it as `&amp;`."

/** A `<` in the value of an attribute. */
export const bareLess = "An attribute holds a `<` that is not escaped: the reporter must write it as `&lt;`."

/** A reference such as `&#x;`. */
export const noNumber = "The report holds a character reference without a valid number."

/** A DOCTYPE that declares entities. */
export const declaredEntities =
  "The report declares its own entities in a DOCTYPE, which are never resolved: write the report without them."

/** Text outside of the root element. */
export const outsideText = "The report holds text outside of its root element: it is not an XML file."

const explanations: ReadonlyArray<readonly [string, (rest: string) => string]> = [
  [
    "undefined entity",
    () => "The report uses an entity that XML does not define: only &amp;, &lt;, &gt;, &quot; and &apos; exist."
  ],
  ["unclosed tag: ", (rest) => `The report is cut off: <${rest}> is never closed. Send the whole file.`],
  ["unexpected end", () => "The report is cut off in the middle of a tag or a comment. Send the whole file."],
  [
    "document must contain a root element",
    () => "The report has no root element: it is empty or cut off. Send the whole file."
  ],
  ["text data outside of root node", () => outsideText],
  ["documents may contain only one root", () => "The report has several root elements: send each file on its own."]
]

const sentence = (text: string): string => `${text.replace(/\.$/, "")}.`
