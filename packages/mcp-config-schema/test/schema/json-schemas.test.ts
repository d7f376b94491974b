import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { z } from 'zod';
import { jsonSchemas } from '../../src/schema/json-schemas.js';
import { withoutNulls } from '../../src/schema/schema-parts.js';
import { mcpJsonSchema, mcpServersFileSchema, vscodeJsonSchema } from '../../src/schema/server-files.js';
import { toolsFileSchema } from '../../src/schema/tools-file.js';
import { SourceText } from '../../src/source/source-text.js';
import { issueExamples } from '../helpers/issue-examples.js';
import { seedServers, seedTools } from '../helpers/seed-files.js';

const schemas = jsonSchemas();

/** Faults that a shipped schema finds in data. */
function faultsOf(name: string, data: unknown): readonly string[] {
  const ajv = new Ajv({ strict: true, strictRequired: false, strictTuples: false, allErrors: true });
  const validate = ajv.compile(schemas[name] ?? {});
  return validate(data) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe.each(Object.entries(schemas))('%s', (name, schema) => {
  test('matches the zod schemas; "vitest -u" accepts an intended change', async () => {
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(`../fixtures/schemas/${name}`);
  });

  test('is a valid schema of draft 7', () => {
    expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#');
    expect(() => faultsOf(name, {})).not.toThrow();
  });

  test('describes every key, for editors', () => {
    const undescribed: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [key, value] of Object.entries((node as { properties?: object }).properties ?? {})) {
        if (typeof value.description !== 'string') undescribed.push(`${path}.${key}`);
        visit(value, `${path}.${key}`);
      }
      visit((node as { additionalProperties?: unknown }).additionalProperties, `${path}.*`);
      for (const part of (node as { anyOf?: unknown[] }).anyOf ?? []) visit(part, path);
    };
    visit(schema, '');
    expect(undescribed).toEqual([]);
  });
});

describe('real files', () => {
  test('the original examples of the format are valid', () => {
    expect(faultsOf('mcp-servers.schema.json', parse(seedServers))).toEqual([]);
    expect(faultsOf('tools.schema.json', parse(seedTools))).toEqual([]);
  });

  test('mcp.json of host apps is valid, with their keys', () => {
    const servers = {
      git: { command: 'git-mcp', alwaysAllow: ['log'] },
      web: { type: 'http', url: 'https://x.example' },
    };
    expect(faultsOf('mcp-json.schema.json', { mcpServers: servers, theme: 'dark' })).toEqual([]);
    expect(faultsOf('vscode-mcp.schema.json', { servers, inputs: [] })).toEqual([]);
  });

  test('a file may name its schema', () => {
    const named = {
      $schema: './node_modules/@x/mcp-config-schema/dist/schemas/mcp-servers.schema.json',
      mcp_servers: {},
    };
    expect(faultsOf('mcp-servers.schema.json', named)).toEqual([]);
    expect(mcpServersFileSchema.safeParse(named).success).toBe(true);
  });

  test.each(['unknown-key', 'missing-key', 'invalid-value', 'command-and-url', 'health-check-without-tool'] as const)(
    'an editor marks %s, and nothing after the correction',
    (code) => {
      const { inputs, fixed } = issueExamples[code];
      expect(faultsOf('mcp-servers.schema.json', parse(inputs[0]?.text ?? ''))).not.toEqual([]);
      expect(faultsOf('mcp-servers.schema.json', parse(fixed[0]?.text ?? ''))).toEqual([]);
    },
  );
});

describe('editors and the package agree on any data', () => {
  const value = fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('', ' ', 'x', 'npx -y x', 'auto', 'ping', 'tool_call', 'http', 'https://x.example', '\0', 'ü'),
    fc.constantFrom(-101, -1, 0, 0.5, 1, 5, 10, 16, 30, 60, 61, 300, 301, 1_000, 3_600, 86_400, 86_401),
    fc.constantFrom(true, false, null),
    fc.constantFrom(
      [],
      ['x'],
      [''],
      [1],
      {},
      { A: 'b' },
      { 'A=': 'b' },
      { A: 1 },
      { secret_ref: 'env:A' },
      { secret_ref: 5 },
    ),
    fc.constantFrom({ provider: 'oauth' }, { provider: '', scopes: ['a'] }, { scopes: [] }),
    fc.record(
      { method: fc.constantFrom('ping', 'tool_call', 'x'), tool: fc.constantFrom('t', '') },
      { requiredKeys: [] },
    ),
  );
  const keysOf = (schema: z.ZodObject): string[] => Object.keys(schema.shape);
  const entryOf = (keys: readonly string[]) =>
    fc.dictionary(fc.constantFrom(...keys, 'nonsense'), value, { maxKeys: 4 }).map((entry) => ({ ...entry }));
  const name = fc.constantFrom('git', ' git', 'a b', '', '\n', 'ü', 'x'.repeat(128), 'x'.repeat(129), '😀'.repeat(128));
  const entries = (keys: readonly string[]) => fc.oneof(fc.dictionary(name, entryOf(keys), { maxKeys: 2 }), value);

  const server = mcpServersFileSchema.shape.mcp_servers.valueType;
  const hostServer = mcpJsonSchema.shape.mcpServers.valueType;
  const tool = toolsFileSchema.shape.tools.valueType;

  test.each([
    ['mcp-servers.schema.json', mcpServersFileSchema, 'mcp_servers', keysOf(server)],
    ['mcp-json.schema.json', mcpJsonSchema, 'mcpServers', keysOf(hostServer)],
    ['vscode-mcp.schema.json', vscodeJsonSchema, 'servers', keysOf(hostServer)],
    ['tools.schema.json', toolsFileSchema, 'tools', keysOf(tool)],
  ] as const)('%s', (file, schema, section, keys) => {
    const ajv = new Ajv({ strictTuples: false });
    const validate = ajv.compile(schemas[file] ?? {});
    const settings = fc.dictionary(
      fc.constantFrom(...keysOf(mcpServersFileSchema.shape.mcp_settings.def.innerType)),
      value,
    );
    const data = fc.record({ [section]: entries(keys), mcp_settings: settings }, { requiredKeys: [] });
    fc.assert(
      fc.property(data, (candidate) => {
        const plain: unknown = JSON.parse(JSON.stringify(candidate));
        const source = new SourceText(JSON.stringify(plain), 'data.json');
        source.prune((root) => withoutNulls(schema, root));
        expect([validate(plain), plain]).toEqual([schema.safeParse(source.value()).success, plain]);
      }),
      { numRuns: 500 },
    );
  });
});
