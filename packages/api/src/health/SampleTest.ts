/** The test that the examples are about. */

/** The name of the test. */
export const name = "cart > pays with a card"

/** The test in one pipeline and job. */
export const identity = {
  test_id: "0e4fc8a5-37ff-5a0b-9c6d-1f2f4f3a9a55",
  test_name: name,
  pipeline_name: "CI",
  job_name: "unit"
}
