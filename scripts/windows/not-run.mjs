/** What this check does not run, and why. */
export const notRun = [
  { what: 'the unit suites', why: "the native binding of Vitest's bundler does not load under Wine 8" },
  { what: 'Node 24 and later', why: 'they do not start under Wine 8' },
];
