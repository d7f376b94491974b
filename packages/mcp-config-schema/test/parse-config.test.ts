import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ConfigInput, checkConfig, parseConfig } from '../src/index.js';
import { checkText, onlyIssue, placesOf, serverOf } from './helpers/check-text.js';

describe('any text', () => {
  const file = fc.constantFrom(undefined, 'mcp_servers.yaml', 'tools.yaml', '.mcp.json', 'mcp.jsonc');
  const word = fc.constantFrom(
    ...['mcp_servers', 'mcp_settings', 'mcpServers', 'servers', 'tools', 'command', 'url', 'args', 'health_check'],
    ...['__proto__', 'toString', 'git', '123', 'true', `\${A}`, '${', '&a', '*a', '<<', '- ', ': ', ',', '"', "'"],
    ...['{', '}', '[', ']', '\n', '\n  ', '\n    ', '\t', '#', '---\n', '!!set', '|', '\uFEFF', '\r\n', '\0'],
  );
  const likeConfig = fc.array(word, { maxLength: 40 }).map((words) => words.join(''));

  test('is parsed or reported, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), likeConfig), file, (text, name) => {
        const { issues, config } = checkConfig({ text, file: name });
        expect(config === undefined).toBe(issues.some((issue) => issue.severity === 'error'));
      }),
      { numRuns: 1_000 },
    );
  });

  test('has issues with positions inside it', () => {
    fc.assert(
      fc.property(likeConfig, file, (text, name) => {
        const lines = text.replace(/^\uFEFF/, '').split('\n');
        for (const { line, column } of checkConfig({ text, file: name }).issues) {
          expect(line).toBeGreaterThan(0);
          expect(column).toBeGreaterThan(0);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? -1) + 1);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('that is JSON of any value is parsed or reported', () => {
    const value = fc.oneof(fc.jsonValue(), fc.dictionary(word, fc.dictionary(word, fc.jsonValue())));
    fc.assert(
      fc.property(value, file, (data, name) => {
        expect(() => checkConfig({ text: JSON.stringify(data), file: name })).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });
});

describe('order', () => {
  const entries = {
    a: { command: 'npx -y a', auto_start: true },
    b: { url: 'https://example.com/mcp', tags: ['x'] },
    c: { command: ['node', 'c.js'], health_check: { method: 'tool_call', tool: 'c.look' } },
  };
  const placeless = (input: ConfigInput) =>
    parseConfig(input)
      .servers.map(({ source, ...server }) => server)
      .toSorted((one, other) => one.name.localeCompare(other.name));
  const reference = placeless({ text: JSON.stringify({ mcp_servers: entries, mcp_settings: {} }) });

  test('of keys does not matter', () => {
    const shuffled = (object: object) =>
      fc.shuffledSubarray(Object.entries(object), { minLength: Object.keys(object).length }).map(Object.fromEntries);
    const text = fc
      .tuple(shuffled(entries.a), shuffled(entries.b), shuffled(entries.c))
      .chain(([a, b, c]) => shuffled({ a, b, c }))
      .chain((servers) => shuffled({ mcp_servers: servers, mcp_settings: {} }))
      .map((file) => JSON.stringify(file));
    fc.assert(
      fc.property(text, (shuffledText) => {
        expect(placeless({ text: shuffledText })).toEqual(reference);
      }),
    );
  });

  test('of servers is kept as written, including numeric names', () => {
    const { config } = checkText('mcp_servers:\n  b: {command: b}\n  2: {command: b}\n  1: {command: b}\n');
    expect(config?.servers.map((server) => server.name)).toEqual(['b', '2', '1']);
  });
});

describe('the kind of a text', () => {
  test.each([
    ['mcp_servers.yaml', 'mcp_servers: { a: { command: x } }', false],
    ['mcp.json', '{ "mcpServers": { "a": { "command": "x" } } }', true],
    ['mcp.json', '{ "servers": { "a": { "command": "x" } }, "inputs": [] }', true],
    [undefined, '{ "mcpServers": { "a": { "command": "x" } } }', true],
  ])('follows from its keys: %s %s', (file, text, autoStart) => {
    const { config } = checkConfig({ text, file });
    expect(config?.servers).toMatchObject([{ name: 'a', command: 'x', args: [], autoStart }]);
  });

  test('an empty text is never a configuration', () => {
    for (const text of ['', '\n', '# nothing', '---', 'null', '~', '\uFEFF']) {
      expect(onlyIssue(checkText(text)).code).toBe('empty-file');
    }
    for (const text of ['', ' ', '// nothing', '/* nothing */', 'null']) {
      expect(onlyIssue(checkText(text, 'mcp.json')).code).toBe('empty-file');
    }
  });

  test('an empty section is an issue', () => {
    expect(placesOf(checkText('mcp_servers:\n'))).toEqual(['1:13 invalid-value']);
    expect(placesOf(checkText('mcp_settings: {}\n'))).toEqual(['1:1 missing-key']);
  });

  test('every pair of kinds is rejected in one text', () => {
    expect(onlyIssue(checkText('mcpServers: {}\nservers: {}\n'))).toMatchObject({ code: 'mixed-file', line: 2 });
    expect(onlyIssue(checkText('tools: {}\nmcp_settings: {}\n'))).toMatchObject({ code: 'mixed-file', line: 2 });
  });
});

describe('several texts', () => {
  const git = { file: 'a.yaml', text: 'mcp_servers:\n  git: { command: git-mcp }\n' };

  test('become one configuration', () => {
    const more = { file: 'mcp.json', text: '{ "mcpServers": { "web": { "url": "https://example.com/mcp" } } }' };
    const config = parseConfig([git, more]);
    expect(config.servers.map(({ name, transport, source }) => [name, transport, source.file])).toEqual([
      ['git', 'stdio', 'a.yaml'],
      ['web', 'http', 'mcp.json'],
    ]);
  });

  test('share the settings of any of them', () => {
    const host = { text: '{ "mcpServers": { "web": { "command": "web" } } }' };
    const settings = {
      text: 'mcp_servers: {}\nmcp_settings: { startup_timeout_seconds: 60, auto_start_default: true }',
    };
    const { servers } = parseConfig([host, git, settings]);
    expect(servers.map((server) => server.limits.startupTimeoutMs)).toEqual([60_000, 60_000]);
    expect(servers.map((server) => server.autoStart)).toEqual([true, true]);
  });

  test('must not repeat a setting, server or tool', () => {
    const one = {
      file: 'one.yaml',
      text: 'mcp_servers: { a: { command: a } }\nmcp_settings: { auto_start_default: true }\n',
    };
    const tools = { file: 'tools.yaml', text: 'tools: { t: {} }\n' };
    const { issues } = checkConfig([one, { ...one, file: 'two.yaml' }, tools, { ...tools, file: 'more.yaml' }]);
    expect(issues).toMatchObject([
      {
        code: 'duplicate-server',
        server: 'a',
        file: 'two.yaml',
        line: 1,
        column: 16,
        first: { file: 'one.yaml', line: 1 },
      },
      { code: 'duplicate-key', key: 'auto_start_default', file: 'two.yaml', first: { file: 'one.yaml', line: 2 } },
      { code: 'duplicate-key', key: 't', file: 'more.yaml', first: { file: 'tools.yaml', line: 1 } },
    ]);
  });

  test('have at most 10,000 servers together', () => {
    const part = (from: string, length: number) => ({
      text: JSON.stringify({
        mcpServers: Object.fromEntries(Array.from({ length }, (_, n) => [from + n, { command: 'x' }])),
      }),
      file: `${from}.json`,
    });
    expect(checkConfig([part('a', 5_000), part('b', 5_000)]).config?.servers).toHaveLength(10_000);
    expect(onlyIssue(checkConfig([part('a', 5_000), part('b', 5_001)]))).toMatchObject({
      code: 'too-many-servers',
      file: 'b.json',
      limit: 10_000,
    });
  });
});

test('an invalid entry does not hide faults of others', () => {
  const text = `mcp_servers:
  a: { comand: x }
  b: { command: "\${NOT_SET}" }
  c: { command: x, max_restart_attempts: 11 }
  d: { command: x, headers: {} }
mcp_settings:
  startup_timeout: 10
`;
  expect(placesOf(checkText(text))).toEqual([
    '2:8 unknown-key',
    '3:18 unset-variable',
    '4:42 invalid-value',
    '5:20 ignored-key',
    '7:3 unknown-key',
  ]);
});

test('an invalid key does not hide other faults of its entry', () => {
  const text = `mcp_servers:
  a: { comand: x, env: { A: "\${NOT_SET}", API_KEY: abcdefgh12345 }, denied_tools: [git.log], tags: 5 }
  git: { command: x, auto_start: 1, allowed_tools: [read], denied_tools: [write] }
  "GIT ": { command: [5], package: b }
`;
  expect(placesOf(checkText(text))).toEqual([
    '2:8 unknown-key',
    '2:30 unset-variable',
    '2:52 inline-secret',
    '2:84 foreign-tool',
    '2:100 invalid-value',
    '3:34 invalid-value',
    '3:75 dead-rule',
    '4:3 invalid-value',
    '4:22 invalid-value',
  ]);
  const tools = `tools:
  t:
    role_restrictions:
      one: { allowed_tools: 5 }
      two: { allowed_tools: [git.*, git.log, nope.x, "*"] }
    models: 5
`;
  const check = checkConfig([{ text: 'mcp_servers: { git: { command: x } }' }, { text: tools, file: 'tools.yaml' }]);
  expect(placesOf(check)).toEqual([
    '4:29 invalid-value',
    '5:37 dead-rule',
    '5:46 unknown-server',
    '5:54 misplaced-star',
    '6:13 invalid-value',
  ]);
});

test('the transport key of editors has a hint to remove it', () => {
  const { issues } = checkText('mcp_servers:\n  a: { url: "https://example.com/mcp", transport: http }\n');
  expect(issues).toMatchObject([{ code: 'unknown-key', hint: expect.stringMatching(/^leave it out/) }]);
});

test('a server that speaks SSE keeps its type, for host apps', () => {
  const yaml = (type: string) =>
    parseConfig({ text: `mcp_servers:\n  a: { url: "https://example.com/sse", type: ${type} }\n` });
  const json = (type: string) =>
    parseConfig({
      text: JSON.stringify({ mcpServers: { a: { type, url: 'https://example.com/sse' } } }),
      file: '.mcp.json',
    });
  for (const { servers } of [yaml('sse'), json('sse')]) {
    expect(servers).toMatchObject([{ transport: 'http', type: 'sse', url: 'https://example.com/sse' }]);
  }
  for (const { servers } of [yaml('http'), json('http'), json('streamable-http')]) {
    expect(servers[0]).not.toHaveProperty('type');
  }
  const { issues } = checkText('mcp_servers:\n  a: { command: x, type: sse }\n');
  expect(issues).toMatchObject([{ code: 'ignored-key', path: ['mcp_servers', 'a', 'type'] }]);
});

test('parseConfig throws one error with all issues', () => {
  const text = 'mcp_servers:\n  a: { comand: x }\n  b: { url: nowhere }\n';
  expect(() => parseConfig({ text, file: 'm.yaml' })).toThrowError(
    expect.objectContaining({
      code: 'invalid-config',
      message: [
        'The configuration has 2 errors:',
        '  m.yaml:2:8 error unknown-key "comand" is not a key of mcp_servers.a',
        '  m.yaml:3:13 error invalid-value The url of server "b" must be an http:// or https:// address',
      ].join('\n'),
      issues: [expect.objectContaining({ line: 2 }), expect.objectContaining({ line: 3 })],
    }),
  );
});

test('an invalid argument is a TypeError', () => {
  expect(() => checkConfig([])).toThrow(new TypeError('inputs must contain at least one text'));
  expect(() => checkConfig({ text: 5 } as never)).toThrow(TypeError);
  expect(() => checkConfig(undefined as never)).toThrow(TypeError);
});

test('names of object properties are ordinary names', () => {
  const { config } = checkText(
    'mcp_servers:\n  toString: { command: x }\n  hasOwnProperty: { command: x, env: { valueOf: a } }\n',
  );
  expect(config?.servers.map((server) => server.name)).toEqual(['toString', 'hasOwnProperty']);
  expect(placesOf(checkText('mcp_servers:\n  toString: 5\n  valueOf: {}\n'))).toEqual([
    '2:13 invalid-value',
    '3:3 missing-key',
  ]);
  expect(onlyIssue(checkText(`mcp_servers: { a: { command: "\${toString}" } }`)).code).toBe('unset-variable');
});

test('the position of a server is that of its name', () => {
  expect(serverOf(checkText('mcp_servers:\n  # first\n  git: { command: x }\n'), 'git').source).toEqual({
    file: 'mcp_servers.yaml',
    line: 3,
    column: 3,
  });
});
