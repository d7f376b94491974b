/** What this check does not run, and why. docs/windows.md has the same list. */
export const notRun = [
  {
    what: 'most of test/supervisor, and test/testing, of mcp-client-manager',
    why: 'they suspend processes by signals of Unix, start a hundred servers at once, or replace the clock of the shared process',
  },
  {
    what: 'the tests of mcp-cli that suites/list.mjs leaves out',
    why: 'they set up a user of Unix, or use its signals and shells; the group "cli" runs the commands',
  },
  { what: 'programs behind links of pnpm', why: 'Node for Windows follows none under Wine 8' },
  { what: 'Node 24 and later', why: 'they do not start under Wine 8' },
  { what: 'taskkill /T', why: 'Wine 8 has it without /T: there servers are ended without it' },
  { what: 'Ctrl-C, colours', why: 'under Wine 8 the streams of Node for Windows are files or pipes, not a console' },
  {
    what: 'the Credential Manager',
    why: 'the native binding of @napi-rs/keyring for Windows is not installed on Linux',
  },
  { what: 'the limit of 260 characters for a path', why: 'Wine has none' },
];
