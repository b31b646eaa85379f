import { conforms } from "./conforms.ts"

conforms("executions")
