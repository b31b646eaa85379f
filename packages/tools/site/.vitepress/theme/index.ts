/** The default theme, and paper: what a printed page needs. */
import DefaultTheme from "vitepress/theme"
import "./print.css"

export default DefaultTheme
