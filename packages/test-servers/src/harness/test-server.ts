import { fileURLToPath } from 'node:url';

export type TestServerName =
  | 'asks-host'
  | 'asks-over-http'
  | 'changes-tools'
  | 'closes-stdout'
  | 'conformance'
  | 'conformance-http'
  | 'counter'
  | 'dies-mid-call'
  | 'echo'
  | 'ends-subscriptions'
  | 'exits-at-once'
  | 'extensions'
  | 'floods-notifications'
  | 'floods-stderr'
  | 'http-echo'
  | 'huge-result'
  | 'ignores-sigterm'
  | 'leaves-grandchild'
  | 'many-pages'
  | 'modern-input-required'
  | 'modern-only'
  | 'named-tools'
  | 'never-initializes'
  | 'refuses-unknown'
  | 'records-effects'
  | 'reports-trace'
  | 'resources-and-prompts'
  | 'slow'
  | 'speaks-garbage'
  | 'stops-reading'
  | 'structured'
  | 'subagents'
  | 'tasks';

export interface TestServerCommand {
  readonly command: string;
  readonly args: string[];
}

/** Command that runs a server of this package. */
export function testServer(name: TestServerName, ...args: readonly string[]): TestServerCommand {
  return { command: process.execPath, args: [fileURLToPath(new URL(`./${name}.js`, import.meta.url)), ...args] };
}
