// biome-ignore-all lint/suspicious/noTemplateCurlyInString: servers are described with variables
import { describe, expect, test } from 'vitest';
import { unlistedConfig } from '../../src/unlisted/open-unlisted.js';
import { isTarget } from '../../src/unlisted/target.js';

test.each<[word: string, expected: boolean]>([
  ['https://example.com/mcp', true],
  ['http://127.0.0.1:3000', true],
  ['ftp://example.com', true],
  ['npx -y some-server', true],
  ['some-server ', true],
  ['./server', true],
  ['../server.js', true],
  ['/opt/server', true],
  ['C:\\tools\\server.exe', true],
  ['files', false],
  ['files.read', false],
  ['files/read', false],
  ['files@build-1.read', false],
  ['mcp__files__read', false],
  ['files.read(path: "a b")', false],
  ['files.read (path: "a b")', false],
  ['files.read(path: "a b"', false],
  ['', false],
])('%s names a server by itself: %j', (word, expected) => {
  expect(isTarget(word)).toBe(expected);
});

const read = (target: string, more: object = {}) =>
  unlistedConfig({ target, timeout: 20, ...more }, { cwd: '/work', env: { TOKEN: 'x-5f1c9a7e2b' } });

describe('the config of one server', () => {
  test.each([
    ['npx -y @modelcontextprotocol/server-everything@1.0.0', 'server-everything'],
    ['npx -y some-server --port 1', 'some-server'],
    ['uvx mcp-server-time', 'mcp-server-time'],
    ['uvx --from git+https://host/x mcp-server-x', 'mcp-server-x'],
    ['node ./my-server/dist/index.js', 'my-server'],
    ['python3 -m tools.server', 'tools-server'],
    ['docker run -i --rm mcp/fetch', 'fetch'],
    ['/opt/bin/thing ', 'thing'],
    ['./-- --', 'server'],
    ['https://user@api.example.com:8080/mcp?key=x', 'api-example-com'],
  ])('%s is named %s', (target, name) => {
    expect(read(target).name).toBe(name);
  });

  test('has the words, the directory and the time limit', () => {
    const [server] = read(`node x.js 'a b' "\${TOKEN}" '{{x'`, { env: ['A=1', 'TOKEN'] }).config.servers;
    expect(server).toMatchObject({
      command: 'node',
      args: ['x.js', 'a b', 'x-5f1c9a7e2b', '{{x'],
      env: { A: '1', TOKEN: 'x-5f1c9a7e2b' },
      cwd: '/work',
      layer: 'user',
      limits: { startupTimeoutMs: 20_000 },
    });
  });

  test('redacts variables', () => {
    const { config } = read('https://example.com/mcp', { header: ['Authorization: Bearer ${TOKEN}'] });
    expect(config.servers[0]).toMatchObject({ headers: { Authorization: 'Bearer x-5f1c9a7e2b' } });
    expect(config.redactor.redact('x-5f1c9a7e2b')).toBe('***');
  });
});
