import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { HostServer } from '../../src/index.js';

const root = new URL('../fixtures/hosts/', import.meta.url);

export interface HostFixture {
  readonly host: string;
  /** Missing if no file exists before. */
  readonly before: string | undefined;
  readonly after: string;
  readonly afterBridge: string | undefined;
}

/** One realistic file per host, and the expected file with `fixtureServers`. */
export const hostFixtures: readonly HostFixture[] = readdirSync(fileURLToPath(root), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const read = (file: string) => readFileSync(new URL(`${name}/${file}`, root), 'utf8');
    const meta = JSON.parse(read('meta.json'));
    return {
      host: meta.host,
      before: meta.fileExistsBefore ? read(meta.before) : undefined,
      after: read(meta.after),
      afterBridge: meta.afterBridge === undefined ? undefined : read(meta.afterBridge),
    };
  });

export const fixtureServers: readonly HostServer[] = [
  { name: 'demo', transport: 'stdio', command: 'npx', args: ['-y', 'demo-mcp'], env: { DEMO_KEY: 'x' } },
  {
    name: 'remote',
    transport: 'http',
    url: 'https://example.com/mcp',
    headers: { Authorization: 'Bearer x' },
  },
];
