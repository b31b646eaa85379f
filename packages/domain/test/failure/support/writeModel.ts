/** Writes down what the model says of the stories: `node --conditions=@lazaret/source packages/domain/test/failure/support/writeModel.ts`. */
import { writeFileSync } from "node:fs"
import { stories } from "./modelStories.ts"
import { shownOf } from "./ModelStory.ts"

const answers = Object.fromEntries(Object.entries(stories).map(([name, story]) => [name, shownOf(story)]))
writeFileSync(new URL("../FailurePolicy.json", import.meta.url), `${JSON.stringify(answers, null, 2)}\n`)
