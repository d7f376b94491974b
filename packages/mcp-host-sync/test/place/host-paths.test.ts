import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { currentPlace, type HostPlace, hostPaths, isHostFileError, listHosts } from '../../src/index.js';

type KnownPaths = Record<string, Partial<Record<HostPlace['platform'], readonly string[]>>>;
const known: KnownPaths = JSON.parse(readFileSync(new URL('../fixtures/host-paths.json', import.meta.url), 'utf8'));

const places: readonly HostPlace[] = [
  { platform: 'darwin', env: {}, home: '/Users/ann', project: '/Users/ann/src/app' },
  { platform: 'linux', env: {}, home: '/home/ann', project: '/srv/app' },
  { platform: 'win32', env: {}, home: 'C:\\Users\\ann', project: 'D:\\src\\app' },
];

const [, linux] = places as [HostPlace, HostPlace, HostPlace];

test('every host has known paths, and every known path has a host', () => {
  expect(listHosts().map(({ id }) => id)).toEqual(Object.keys(known).toSorted());
});

describe.each(places)('on $platform', (place) => {
  test.each(Object.entries(known))('%s has the expected paths', (host, paths) => {
    const found = hostPaths(host, place).map(({ path }) => path);
    expect(found.toSorted()).toEqual([...(paths[place.platform] ?? [])].toSorted());
  });

  test.each(Object.keys(known))('%s is created at one path without a pattern', (host) => {
    const paths = hostPaths(host, place);
    expect(paths.filter(({ creates }) => creates)).toHaveLength(paths.every(({ kind }) => kind === 'newest') ? 0 : 1);
    expect(paths.filter(({ creates, kind }) => creates && kind !== 'file')).toEqual([]);
  });
});

test.each([
  ['claude-code-user', { CLAUDE_CONFIG_DIR: '/cfg' }, '/cfg/.claude.json', '/cfg'],
  ['cline-user', { CLINE_DIR: '/c', CLINE_MCP_SETTINGS_PATH: '/m/x.json' }, '/m/x.json', '/m'],
  ['cline-user', { CLINE_DIR: '/c', CLINE_DATA_DIR: '/d' }, '/d/settings/cline_mcp_settings.json', '/d'],
  ['cline-user', { CLINE_DIR: '/c' }, '/c/data/settings/cline_mcp_settings.json', '/c'],
  ['codex-user', { CODEX_HOME: '/cx' }, '/cx/config.toml', '/cx'],
  ['copilot-cli-user', { COPILOT_HOME: '/cp' }, '/cp/mcp-config.json', '/cp'],
  ['crush-user', { CRUSH_GLOBAL_CONFIG: '/cr', XDG_CONFIG_HOME: '/x' }, '/cr/crush.json', '/cr'],
  ['crush-user', { XDG_CONFIG_HOME: '/x' }, '/x/crush/crush.json', '/x'],
  ['gemini-cli-user', { GEMINI_CLI_HOME: '/g' }, '/g/.gemini/settings.json', '/g'],
  ['goose-user', { XDG_CONFIG_HOME: '/x' }, '/x/goose/config.yaml', '/x'],
  ['zed-user', { FLATPAK_XDG_CONFIG_HOME: '/f', XDG_CONFIG_HOME: '/x' }, '/f/zed/settings.json', '/f'],
  ['zed-user', { XDG_CONFIG_HOME: '/x' }, '/x/zed/settings.json', '/x'],
  ['zed-user', { XDG_CONFIG_HOME: 'relative' }, '/home/ann/.config/zed/settings.json', '/home/ann/.config'],
  ['zed-user', { XDG_CONFIG_HOME: '' }, '/home/ann/.config/zed/settings.json', '/home/ann/.config'],
])('%s follows %j', (host, env, path, inside) => {
  expect(hostPaths(host, { ...linux, env })[0]).toEqual({ path, inside, kind: 'file', creates: true });
});

test('on a Mac, Zed ignores the Linux variable', () => {
  const env = { XDG_CONFIG_HOME: '/x' };
  const place: HostPlace = { platform: 'darwin', env, home: '/Users/ann' };
  expect(hostPaths('zed-user', place)[0]?.path).toBe('/Users/ann/.config/zed/settings.json');
});

test('on Windows, folders come from the environment, regardless of case', () => {
  const env = { LocalAppData: 'E:\\local', appdata: 'E:\\roaming' };
  const place: HostPlace = { platform: 'win32', env, home: 'C:\\Users\\ann' };
  expect(hostPaths('claude-desktop', place)).toEqual([
    {
      path: 'E:\\local\\Packages\\Claude_*\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json',
      kind: 'pattern',
      inside: 'E:\\local',
      creates: false,
    },
    {
      path: 'E:\\roaming\\Claude\\claude_desktop_config.json',
      kind: 'file',
      inside: 'E:\\roaming',
      creates: true,
    },
  ]);
});

test('printing a place omits its environment', () => {
  const place = { ...currentPlace(), project: '/srv/app' };
  const name = Object.keys(place.env).find((key) => (place.env[key]?.length ?? 0) > 20) ?? 'PATH';
  expect(place.env[name]).toBe(process.env[name]);
  expect(Object.keys(place.env).toSorted()).toEqual(Object.keys(process.env).toSorted());
  for (const shown of [inspect(place, { depth: 9 }), JSON.stringify(place)]) {
    expect(shown).toContain('***');
    expect(shown).not.toContain(name);
    expect(shown).not.toContain(process.env[name]);
  }
});

test('without a project there are no project files', () => {
  const place: HostPlace = { platform: 'linux', env: {}, home: '/home/ann' };
  expect(hostPaths('cursor-project', place)).toEqual([]);
  expect(hostPaths('claude-code-local', place)).toEqual([]);
});

test('rejects a variable with a relative path by name', () => {
  const place = { ...linux, env: { CODEX_HOME: 'codex' } };
  expect(() => hostPaths('codex-user', place)).toThrow(
    expect.toSatisfy((error) => isHostFileError(error) && error.code === 'invalid-location'),
  );
  expect(() => hostPaths('codex-user', place)).toThrow(
    'CODEX_HOME must be an absolute path because it moves the host\'s file, got "codex"',
  );
});

test('rejects relative directories by name', () => {
  expect(() => hostPaths('zed', { ...linux, home: 'ann' })).toThrow(TypeError);
  expect(() => hostPaths('zed', { ...linux, home: 'ann' })).toThrow('place.home must be an absolute path, got "ann"');
  expect(() => hostPaths('zed', { ...linux, project: '.' })).toThrow('place.project must be an absolute path, got "."');
});
