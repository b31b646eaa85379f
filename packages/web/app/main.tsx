/** Starts the dashboard in its page. */
import { render } from "preact"
import { App } from "./App.tsx"
import * as Keyboard from "./Keyboard.ts"
import * as Router from "./Router.ts"
import * as Theme from "./Theme.ts"
import "./styles/main.css"

const root = document.querySelector("#app")

if (root !== null) {
  Theme.start()
  Router.start()
  Keyboard.start()
  render(<App />, root)
}
