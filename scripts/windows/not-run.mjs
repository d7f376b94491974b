/** What this check does not run, and why. docs/windows.md has the same list. */
export const notRun = [
  {
    what: 'TCP connections, and the unit suites that open some or start programs behind links of pnpm',
    why: 'under Wine 8, Node for Windows opens no TCP connection and follows no link',
  },
  { what: 'Node 24 and later', why: 'they do not start under Wine 8' },
  { what: 'taskkill /T', why: 'Wine 8 has it without /T: there servers are ended without it' },
  { what: 'Ctrl-C, colours', why: 'under Wine 8 the streams of Node for Windows are files or pipes, not a console' },
  {
    what: 'the Credential Manager',
    why: 'the native binding of @napi-rs/keyring for Windows is not installed on Linux',
  },
  { what: 'the limit of 260 characters for a path', why: 'Wine has none' },
];
