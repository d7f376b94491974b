import { describe, expect, test } from 'vitest';
import { type ConfigLayer, checkConfig } from '../../src/index.js';
import { mcpJsonSchema, mcpServersFileSchema } from '../../src/schema/server-files.js';
import { toolsFileSchema } from '../../src/schema/tools-file.js';
import { onlyIssue } from '../helpers/check-text.js';

const check = (data: object, layer?: ConfigLayer) =>
  checkConfig({ text: JSON.stringify(data), file: 'config.json', layer });

/** All that a check answers, with values that are computed on access. */
function answersOf(data: object) {
  const { issues, config, partial, origins, launches } = check(data);
  return { issues, config, partial, origins: [...origins], launches: [...launches] };
}

const isRestriction = (key: string) => /^(?:allowed|denied|required)_/.test(key);
const allServerKeys = Object.keys(mcpServersFileSchema.shape.mcp_servers.valueType.shape);
const serverKeys = allServerKeys.filter((key) => !isRestriction(key));
const hostKeys = Object.keys(mcpJsonSchema.shape.mcpServers.valueType.shape);
const tool = toolsFileSchema.shape.tools.valueType;
const toolKeys = Object.keys(tool.shape);

const launchWithout = (key: string) => (key === 'command' ? { url: 'https://x.example' } : { command: 'x' });

describe('null for an optional part is the same as leaving it out', () => {
  test.each(serverKeys)('of a server: %s', (key) => {
    const entry = launchWithout(key);
    const withNull = answersOf({ mcp_servers: { a: { ...entry, [key]: null } } });
    expect(withNull).toEqual(answersOf({ mcp_servers: { a: entry } }));
    expect(withNull.issues).toEqual([]);
  });

  test.each(hostKeys)('of a server of a host app: %s', (key) => {
    const entry = launchWithout(key);
    for (const section of ['mcpServers', 'servers']) {
      const withNull = answersOf({ [section]: { a: { ...entry, [key]: null } } });
      expect(withNull).toEqual(answersOf({ [section]: { a: entry } }));
      expect(withNull.issues).toEqual([]);
    }
  });

  test.each(toolKeys)('of a tool: %s', (key) => {
    expect(answersOf({ tools: { t: { [key]: null } } })).toEqual(answersOf({ tools: { t: {} } }));
  });

  test.each(['required', 'recommended', 'optional'])('of mcp_tools: %s', (tier) => {
    const withNull = answersOf({ tools: { t: { mcp_tools: { [tier]: null } } } });
    expect(withNull).toEqual(answersOf({ tools: { t: { mcp_tools: {} } } }));
  });

  test.each(['inherits', 'default'])('of a role: %s', (key) => {
    const role = { allowed_tools: ['bash'] };
    const withNull = answersOf({ tools: { t: { role_restrictions: { r: { ...role, [key]: null } } } } });
    expect(withNull).toEqual(answersOf({ tools: { t: { role_restrictions: { r: role } } } }));
  });

  test('of a file: mcp_settings and each setting', () => {
    expect(answersOf({ mcp_servers: {}, mcp_settings: null })).toEqual(answersOf({ mcp_servers: {} }));
    const user = { mcp_servers: {}, mcp_settings: { startup_timeout_seconds: 7 } };
    const project = { mcp_servers: {}, mcp_settings: { startup_timeout_seconds: null } };
    const texts = [
      { text: JSON.stringify(project), layer: 'project' },
      { text: JSON.stringify(user), layer: 'user' },
    ] as const;
    expect(checkConfig(texts).config?.settings.startupTimeoutMs).toBe(7_000);
  });

  test('in YAML as an empty value', () => {
    const text = 'mcp_servers:\n  a:\n    command: x\n    args:\n    env: ~\nmcp_settings:\n';
    expect(checkConfig({ text })).toMatchObject({ issues: [], config: { servers: [{ command: 'x', args: [] }] } });
  });
});

test.each([
  [{ mcp_servers: null }, 'mcp_servers must be a mapping of server names to servers, got nothing'],
  [{ mcp_servers: { a: null } }, 'mcp_servers.a must be a mapping that describes a server, got nothing'],
  [{ mcp_servers: { a: { command: null } } }, 'A server needs a "command" or a "url"'],
  [{ mcp_servers: { a: { command: 'x', env: { A: null } } } }, expect.stringContaining('mcp_servers.a.env.A must be')],
  [{ tools: { t: null } }, 'tools.t must be a mapping that describes a tool, got nothing'],
  [
    { tools: { t: { role_restrictions: { r: { allowed_tools: null } } } } },
    'tools.t.role_restrictions.r.allowed_tools must be a list of tool names, got nothing',
  ],
])('null for a required part is an error: %j', (data, message) => {
  expect(onlyIssue(check(data))).toMatchObject({ severity: 'error', message });
});

describe('a restriction whose entries are all commented out is an error', () => {
  test.each(allServerKeys.filter(isRestriction))('of a server: %s', (key) => {
    const [issue] = check({ mcp_servers: { a: { command: 'x', [key]: null } } }).issues;
    expect(issue).toMatchObject({ severity: 'error', message: expect.stringContaining('got nothing') });
  });

  test.each(['denied_tools', 'required_annotations', 'allowed_resources', 'allowed_prompts'])(
    'of a role: %s',
    (key) => {
      const r = { allowed_tools: ['bash'], [key]: null };
      const [issue] = check({ tools: { t: { role_restrictions: { r } } } }).issues;
      expect(issue).toMatchObject({ severity: 'error', message: expect.stringContaining('got nothing') });
    },
  );
});

test('null stays null in the arguments of a health check', () => {
  const health_check = { method: 'tool_call', tool: 'look', args: { path: null } };
  const { config } = check({ mcp_servers: { a: { command: 'x', health_check } } });
  expect(config?.servers).toMatchObject([{ health: { args: { path: null } } }]);
});
