import { conforms } from "./conforms.ts"

conforms("tests")
