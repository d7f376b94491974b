/**
 * Changes that no test can notice, as the program does the same with them. They do not count. An entry that no longer
 * matches a surviving change fails the check.
 *
 * - `file` and `line`: the source and the text of its line, without the blanks around it.
 * - `change`: what the mutated piece is replaced with.
 * - `reason`: why the program does the same.
 */
export const equivalent = [
  {
    file: 'packages/internal/src/names/public-name.ts',
    line: "return text.slice(0, 2 * MAX_NAME_LENGTH).replace(/[^A-Za-z0-9_-]/gu, '_');",
    change: 'text',
    reason: 'The slice saves work alone: what is read of the text is cut to far less than that afterwards.',
  },
  {
    file: 'packages/mcp-client-manager/src/routing/circuit-breaker.ts',
    line: "const failures = state.phase === 'closed' ? state.failures + 1 : maxFailures;",
    change: 'true',
    reason:
      'A state without a count gives NaN, which is not below the limit either: the breaker opens as it does with the limit.',
  },
];
