import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { inCommandWords } from '../../src/output/command-words.js';

const packages = new URL('../../../', import.meta.url);
const libraries = ['internal', 'mcp-client-manager', 'mcp-config-schema', 'mcp-fleet', 'mcp-host-sync', 'mcp-registry'];

/** Texts of several words in a file, with `…` for each value. */
function textsIn(source: string): readonly string[] {
  const code = source.replace(/^\s*(?:\/\/|\/?\*|import |export \{).*$/gm, '');
  return Array.from(code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`/g), (match) =>
    (match[1] ?? match[2] ?? match[3] ?? '').replaceAll("\\'", "'").replace(/(?<!\\)\$\{(?:[^{}]*\}|.*$)/g, '…'),
  ).filter((text) => /\S \S/.test(text));
}

/** Fields of the protocol, and names that messages quote as they are. */
const sharedWords = new Set([
  ...[
    'inputSchema',
    'outputSchema',
    'contentSchema',
    'mcpServers',
    'onProgress',
    'listTools',
    'jsonSchema',
    'structuredContent',
  ],
  ...['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'],
]);

/** Messages about calls that mcpx makes correctly, by the file that has them. */
const onlyForPrograms: readonly (readonly [file: RegExp, reason: string])[] = [
  [/json-schema\//, 'keywords of JSON Schema'],
  [/registry\/src\/formats\//, 'formats of other SDKs'],
  [/registry\/src\/typescript\//, 'an option; mcpx writes all declarations'],
  [/registry\/src\/(?:catalog\/native-tool|pins\/memory-pin-store|roles\/check-role-rules|search\/rank)/, 'options'],
  [/registry\/src\/(?:catalog\/server-names|calls\/call-in-progress)/, 'options'],
  [/registry\/src\/search\/(?:search-tool|answer\/answer-pages)/, 'the search tool for models, and its cursor'],
  [/registry\/src\/pins\/check-pins/, 'fields of the pin file'],
  [/registry\/src\/pins\/operators\/invalid-overrides/, 'sources of an app; the files of mcpx are checked'],
  [/internal\/src\/views\/code-tool/, 'an option'],
  [
    /internal\/src\/telemetry(?:-option|\/(?:create-telemetry|instruments))/,
    "an option, and OpenTelemetry's descriptions",
  ],
  [/registry\/src\/interceptors\//, 'steps of an app, and answers to models'],
  [/fleet\/src\/(?:memory|nats\/options|options|principal|calls\/wire)/, 'options'],
  [/client-manager\/src\/launch\/prepare-launch/, 'mcpx looks secrets up itself'],
  [/client-manager\/src\/auth\/authorize/, 'mcpx login runs the sign-in'],
  [/client-manager\/src\/session\/server-requests/, 'handlers of the app'],
  [/client-manager\/src\/(?:options|spec|resolve-spec|servers\/server-set|servers\/check)/, 'specs in code'],
  [/host-sync\/src\/(?:edit\/edit-entries|sync\/plan-sync)/, 'adapters and options'],
  [/client-manager\/src\/(?:manager\.ts|servers\/caller-connections)/, 'arguments in the wrong order or form'],
  [
    /(?:config-schema\/src\/parse-config|registry\/src\/catalog\/(?:catalog|source-listing)\.ts)/,
    'arguments of the wrong kind',
  ],
  [
    /(?:fleet\/src\/(?:fleet\.ts|lease\/forget-node)|host-sync\/src\/(?:place\/host-place|sync\/apply-sync))/,
    'the same',
  ],
];

const files = libraries.flatMap((name) =>
  globSync(`${name}/src/**/*.ts`, { cwd: fileURLToPath(packages), ignore: '**/testing/**' }),
);

describe('no message of a library names an option that mcpx does not have', () => {
  const messages = files
    .filter((file) => !onlyForPrograms.some(([pattern]) => pattern.test(file)))
    .flatMap((file) => textsIn(readFileSync(new URL(file, packages), 'utf8')).map((text) => [file, text] as const));

  test('in a word of camel case', () => {
    const left = messages.flatMap(([file, text]) => {
      const words = inCommandWords(text).match(/\b[a-z]+[A-Z]\w*/g) ?? [];
      return words.some((word) => !sharedWords.has(word)) ? [`${file}: ${inCommandWords(text)}`] : [];
    });
    expect(left).toEqual([]);
  });

  test('in advice to use force, to set a spec, or to write a program', () => {
    const left = messages.flatMap(([file, text]) =>
      /\buse force\b|\bspec\b|[Aa] program may|client manager is open/.test(inCommandWords(text))
        ? [`${file}: ${text}`]
        : [],
    );
    expect(left).toEqual([]);
  });

  test('in advice to call a function', () => {
    const left = messages.flatMap(([file, text]) =>
      /\b[Cc]all \w+\(\)/.test(inCommandWords(text)) ? [`${file}: ${text}`] : [],
    );
    expect(left).toEqual([]);
  });

  test('and each file that is left out still exists', () => {
    for (const [pattern] of onlyForPrograms)
      expect(
        files.some((file) => pattern.test(file)),
        String(pattern),
      ).toBe(true);
  });
});

test.each([
  [
    "It is not on PATH, but it exists at /opt/x: set commandPath: 'login-shell' if your terminal finds it, or give the full path.",
    'It is not on PATH, but it exists at /opt/x: add its directory to PATH, or give the full path.',
  ],
  ['leave useRegex out to search by words', 'leave --regex out to search by words'],
  ['Drop the server, or use force', 'Drop the server, or use --force'],
  ['Raise "timeoutMs" to wait longer.', 'Raise --timeout to wait longer.'],
  [
    'there is no token to renew. Call authorize() of the managed server "web" to sign in.',
    'there is no token to renew. Run "mcpx login" for "web" to sign in.',
  ],
  ['took 300 MiB of memory; its spec allows 16 MiB', 'took 300 MiB of memory; its limit is 16 MiB'],
])('%s', (library, mcpx) => {
  expect(inCommandWords(library)).toBe(mcpx);
});
