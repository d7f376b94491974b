import { sep } from 'node:path';
import { expect, test } from 'vitest';
import { type HostPlace, planSync, readHost, readHostDocuments } from '../src/index.js';
import { read } from './helpers/round-trip.js';
import { type TemporaryMachine, temporaryMachine } from './helpers/temporary-machine.js';

const gateway = {
  name: 'mcpx',
  transport: 'stdio' as const,
  command: 'mcpx',
  args: ['serve'],
  env: { MCPX_GATEWAY: '1' },
};
const servers = { off: { command: 'x' }, on: { command: 'y' } };
const file = (more: object = {}, key = 'mcpServers') => JSON.stringify({ [key]: servers, ...more });

type Files = (machine: TemporaryMachine) => Readonly<Record<string, string>>;

type Case = readonly [string, string, Files];

const ofProject: Case = [
  'claude-code-user',
  'the list of the project',
  ({ project }) => ({
    'home/.claude.json': file({ projects: { [project.replaceAll(sep, '/')]: { disabledMcpServers: ['off'] } } }),
  }),
];

const cases: readonly Case[] = [
  [
    'copilot-cli-user',
    'settings.json of the user',
    () => ({
      'home/.copilot/mcp-config.json': file(),
      'home/.copilot/settings.json': '{\n  // mine\n  "disabledMcpServers": ["off"] }',
    }),
  ],
  [
    'copilot-cli-project',
    'settings.json of the user',
    () => ({ 'app/.mcp.json': file(), 'home/.copilot/settings.json': '{"disabledMcpServers":["off"]}' }),
  ],
  [
    'gemini-cli-user',
    'the file of its own command',
    () => ({
      'home/.gemini/settings.json': file(),
      'home/.gemini/mcp-server-enablement.json': '{"off":{"enabled":false},"on":{"enabled":true}}',
    }),
  ],
  ['gemini-cli-user', 'mcp.excluded', () => ({ 'home/.gemini/settings.json': file({ mcp: { excluded: ['off'] } }) })],
  ['gemini-cli-user', 'mcp.allowed', () => ({ 'home/.gemini/settings.json': file({ mcp: { allowed: ['on'] } }) })],
  [
    'gemini-cli-project',
    'the settings of the user',
    () => ({ 'app/.gemini/settings.json': file(), 'home/.gemini/settings.json': '{"mcp":{"excluded":["off"]}}' }),
  ],
  ['qwen-code-user', 'mcp.excluded', () => ({ 'home/.qwen/settings.json': file({ mcp: { excluded: ['off'] } }) })],
  ofProject,
  [
    'claude-code-project',
    'the answers of the user',
    () => ({ 'app/.mcp.json': file(), 'app/.claude/settings.local.json': '{"disabledMcpjsonServers":["off"]}' }),
  ],
];

test.each(cases)('%s: a server that is off in %s is read as disabled', async (host, _where, filesOf) => {
  const machine = await temporaryMachine();
  for (const [path, text] of Object.entries(filesOf(machine))) await machine.file(path, text);
  expect(await statesOf(host, machine.place)).toEqual({ off: false, on: true });
});

test.each(cases)('%s: a server that is off in %s stays when the gateway takes over', async (host, where, filesOf) => {
  const machine = await temporaryMachine();
  for (const [path, text] of Object.entries(filesOf(machine))) await machine.file(path, text);
  const theirs = await readHostDocuments([host], { place: machine.place });
  const adopt = Object.entries(servers).map(([name, { command }]) => ({
    server: { name, transport: 'stdio' as const, command },
  }));
  const { steps } = planSync({ ours: [gateway], theirs, adopt });
  const removed = steps.flatMap(({ type, server }) => (type === 'remove' ? [server] : []));
  // A host that uses the listed servers alone would not use the gateway.
  expect(removed).toEqual(where === 'mcp.allowed' ? [] : ['on']);
});

test('names in the file of Gemini CLI have lower case', async () => {
  const machine = await temporaryMachine();
  await machine.file('home/.gemini/settings.json', JSON.stringify({ mcpServers: { Off: { command: 'x' } } }));
  await machine.file('home/.gemini/mcp-server-enablement.json', '{"off":{"enabled":false}}');
  expect(await statesOf('gemini-cli-user', machine.place)).toEqual({ Off: false });
});

test.each(['', '{ broken', '[]', '{"disabledMcpServers":"off"}', '\uFEFF{"disabledMcpServers":[]} // end'])(
  'the host ignores %j in place of a list, and so does the reading',
  async (text) => {
    const machine = await temporaryMachine();
    await machine.file('home/.copilot/mcp-config.json', file());
    await machine.file('home/.copilot/settings.json', text);
    expect(await statesOf('copilot-cli-user', machine.place)).toEqual({ off: true, on: true });
  },
);

test.each([{ enabled: false }, { disabled: true }])(
  'a server with %j is off, even if the host reads no such field',
  (state) => {
    expect(read('mcporter-user', 's', { command: 'x', ...state }).server).toMatchObject({ enabled: false });
  },
);

async function statesOf(host: string, place: HostPlace): Promise<Readonly<Record<string, boolean | undefined>>> {
  const reading = await readHost(host, place);
  return Object.fromEntries(reading.servers.map(({ name, enabled }) => [name, enabled]));
}
