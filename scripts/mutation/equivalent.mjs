/**
 * Changes that no test can notice, as the program does the same with them. They do not count. An entry that no longer
 * matches a surviving change fails the check.
 *
 * - `file` and `line`: the source and the text of its line, without the blanks around it.
 * - `change`: what the mutated piece is replaced with.
 */
export const equivalent = [];
