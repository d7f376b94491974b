import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testServer } from '@x/test-servers';
import { afterEach, expect, test, vi } from 'vitest';
import { openStack } from '../../src/compose.js';
import { followConfig } from '../../src/config/live-config.js';
import type { Control } from '../../src/control/control.js';
import { createLocalControl } from '../../src/control/local-control.js';
import { configHandlers } from '../../src/dashboard/config-handlers.js';
import type { ServerEditPlan } from '../../src/dashboard/page-messages.js';
import { project } from '../helpers/project.js';
import { stubUserConfig, userServers } from '../helpers/user-config.js';

afterEach(() => vi.unstubAllEnvs());

const { command, args = [] } = testServer('echo');
const launch = `command: ${JSON.stringify(command)}\n    args: ${JSON.stringify(args)}`;
const yaml = `# mine
mcp_servers:
  echo: # stays
    ${launch}
    auto_start: true   # odd spaces

  'other one':
    ${launch}
    auto_start: false
    env: { API_TOKEN: "swordfish-and-chips" }
`;

interface Stage extends AsyncDisposable {
  readonly control: Control;
  readonly path: (name: string) => string;
  readonly read: (name: string) => Promise<string>;
}

async function opened(
  files: Readonly<Record<string, string>>,
  { env = { MCPX_TRUST: '1' }, words = undefined as readonly string[] | undefined } = {},
): Promise<Stage> {
  const { folder, [Symbol.asyncDispose]: remove } = await project(files);
  stubUserConfig(join(folder, 'home'));
  const { signal } = new AbortController();
  const io = { cwd: folder, env: { PATH: process.env.PATH, ...env }, stateDirectory: join(folder, 'state'), signal };
  const stack = await openStack({ config: words }, io);
  const live = followConfig({ stack, io });
  const settled = () => live.settled().then(() => live.problem?.message);
  const control = createLocalControl(stack, { config: configHandlers({ stack, files: words, io, settled }) });
  return {
    control,
    path: (name) => join(folder, name),
    read: (name) => readFile(join(folder, name), 'utf8'),
    [Symbol.asyncDispose]: async () => {
      await live[Symbol.asyncDispose]();
      await control[Symbol.asyncDispose]();
      await remove();
    },
  };
}

test('each field is in one group of the form', async () => {
  await using stage = await opened({ 'mcp_servers.yaml': yaml });
  const { schema, groups } = await stage.control.serverEdit({ server: 'echo' });
  const grouped = groups.flatMap(({ keys }) => keys);
  expect(grouped.toSorted()).toEqual(Object.keys(schema.properties as object).toSorted());
  expect(new Set(grouped).size).toBe(grouped.length);
});

function planned(plan: ServerEditPlan) {
  if (plan.outcome !== 'planned') throw new Error(`it is ${JSON.stringify(plan)}`);
  return plan;
}

const rowOf = async (control: Control, name: string) =>
  (await control.status()).servers.find((row) => row.name === name);

test('the form has the fields of the table with their bounds and defaults, and none of a launch', async () => {
  await using stage = await opened({ 'mcp_servers.yaml': `${yaml}mcp_settings: { startup_timeout_seconds: 33 }\n` });
  const { schema, values, file } = await stage.control.serverEdit({ server: 'echo' });
  const properties = schema.properties as Readonly<Record<string, unknown>>;
  expect(file).toBe(stage.path('mcp_servers.yaml'));
  expect(values).toEqual({ auto_start: true });
  expect(properties.priority).toMatchObject({ type: 'integer', minimum: -100, maximum: 100, default: 0 });
  expect(properties.startup_timeout_seconds).toMatchObject({ minimum: 1, maximum: 60, default: 33 });
  expect(properties.auto_start).toMatchObject({ type: 'boolean', default: false });
  for (const key of [
    'command',
    'args',
    'env',
    'cwd',
    'url',
    'headers',
    'auth',
    'health_check',
    'tools',
    'trusted',
    'fleet',
    'type',
  ]) {
    expect(properties).not.toHaveProperty(key);
    const asked = stage.control.planServerEdit({ server: 'echo', changes: { [key]: 'sh -c true' } });
    await expect(asked).rejects.toMatchObject({ code: 'invalid-request' });
  }
  await expect(stage.control.serverEdit({ server: 'nobody' })).rejects.toMatchObject({ code: 'unknown-server' });
});

test('beside the form are roles, texts of tools, and the entries that this one replaces', async () => {
  const rules =
    'tools: { app: { role_restrictions: { review: { allowed_tools: [echo.echo] }, none: { allowed_tools: [] } } } }';
  await using stage = await opened({
    'mcp_servers.yaml': `${yaml}    tools: { echo: { description: "Says swordfish-and-chips" }, gone: { hidden: true } }\n`,
    'tools.yaml': rules,
    [userServers]: yaml,
  });
  await stage.control.start({ servers: ['echo', 'other one'] });
  const { rules: of } = await stage.control.serverEdit({ server: 'other one' });
  expect(of).toEqual({
    tools: 8,
    roles: [
      { role: 'review', allowed: 0 },
      { role: 'none', allowed: 0 },
    ],
    overrides: [
      { tool: 'echo', description: 'Says ***', isHidden: false, isUnmatched: false },
      { tool: 'gone', isHidden: true, isUnmatched: true },
    ],
    replaces: [stage.path(userServers)],
  });
  expect((await stage.control.serverEdit({ server: 'echo' })).rules.roles).toContainEqual({
    role: 'review',
    allowed: 1,
  });
});

test('an edit keeps every other byte, is in effect when it is saved, and is taken back', async () => {
  await using stage = await opened({ 'mcp_servers.yaml': yaml });
  const { control } = stage;
  await control.start({ servers: ['echo'] });
  const { pid } = (await rowOf(control, 'echo')) ?? {};
  const edit = { server: 'echo', changes: { priority: 7, auto_start: null, denied_tools: ['f*'] } };
  const manual = planned(await control.planServerEdit({ server: 'echo', changes: { auto_start: null } }));
  expect(manual.effects[0]).toBe('“echo” does not start by itself any more.');
  const plan = planned(await control.planServerEdit(edit));
  expect(plan.diff).toContain('+    priority: 7');
  expect(plan.diff).not.toContain('swordfish');
  const plain = planned(await control.planServerEdit({ server: 'echo', changes: { priority: 7 } }));
  expect(plain.effects[0]).toBe('“echo” goes on running, with the new values at once.');
  expect(plan.effects).toContain('Unchanged: 1 other server.');
  expect(await stage.read('mcp_servers.yaml')).toBe(yaml);

  const saved = await control.applyServerEdit({ ...edit, base: plan.base });
  expect(saved).toEqual({ isDone: true, message: '“echo” is saved, and in effect.' });
  const text = await stage.read('mcp_servers.yaml');
  const added = text.split('\n').filter((line) => !yaml.split('\n').includes(line));
  const gone = yaml.split('\n').filter((line) => !text.split('\n').includes(line));
  expect(added.join('\n')).toMatch(/^ {4}priority: 7\n {4}denied_tools:[\s\S]*f\*/);
  expect(gone).toEqual(['    auto_start: true   # odd spaces']);
  const { pid: now, autoStart } = (await rowOf(control, 'echo')) ?? {};
  expect([now, autoStart]).toEqual([pid, false]);

  const { lastEdit } = (await control.configFiles()) ?? {};
  expect(lastEdit).toMatchObject({ server: 'echo' });
  const change = lastEdit?.change ?? 0;
  expect((await control.planEditUndo({ change })).diff).toContain('-    priority: 7');
  expect(await control.undoServerEdit({ change })).toMatchObject({ isDone: true });
  expect(await stage.read('mcp_servers.yaml')).toBe(yaml);
  expect((await control.configFiles())?.lastEdit).toBeUndefined();
  await expect(control.undoServerEdit({ change })).rejects.toMatchObject({ code: 'invalid-request' });
});

test('says what stops, starts and restarts', async () => {
  await using stage = await opened({ 'mcp_servers.yaml': yaml });
  const { control } = stage;
  await control.start({ servers: ['echo'] });
  const effectsOf = async (server: string, changes: Readonly<Record<string, unknown>>) =>
    planned(await control.planServerEdit({ server, changes })).effects[0];
  expect(await effectsOf('echo', { disabled: true })).toBe('“echo” stops, and its tools are not offered.');
  expect(await effectsOf('echo', { protocol: 'legacy' })).toBe('“echo” restarts.');
  expect(await effectsOf('other one', { auto_start: true })).toMatch(/^“other one” starts/);
  expect(await effectsOf('other one', { priority: 1 })).toBe('“other one” has the new values from its next start.');
  const { pid } = (await rowOf(control, 'echo')) ?? {};
  expect(pid).toEqual(expect.any(Number)); // nothing has happened
});

test('an invalid value is a fault of its field, and is not saved', async () => {
  await using stage = await opened({ 'mcp_servers.yaml': yaml });
  const edit = { server: 'echo', changes: { priority: 1_000, allowed_tools: [''], eager: 'yes' } };
  const plan = await stage.control.planServerEdit(edit);
  expect(plan).toMatchObject({
    outcome: 'faults',
    faults: expect.arrayContaining([
      { field: 'priority', message: expect.stringContaining('-100 to 100') },
      { field: 'eager', message: expect.stringContaining('true or false') },
      { field: 'allowed_tools', message: expect.any(String) },
    ]),
  });
  expect(await stage.control.applyServerEdit({ ...edit, base: 'x' })).toMatchObject({ isDone: false });
  expect(await stage.read('mcp_servers.yaml')).toBe(yaml);
});

test('a file that has changed since the preview is not written', async () => {
  await using stage = await opened({ 'mcp_servers.yaml': yaml });
  const edit = { server: 'echo', changes: { priority: 7 } };
  const { base } = planned(await stage.control.planServerEdit(edit));
  const theirs = `${yaml}# theirs\n`;
  await writeFile(stage.path('mcp_servers.yaml'), theirs);
  const refused = await stage.control.applyServerEdit({ ...edit, base });
  expect(refused).toEqual({ isDone: false, message: expect.stringContaining('has changed since this preview') });
  expect(await stage.read('mcp_servers.yaml')).toBe(theirs);
  const next = planned(await stage.control.planServerEdit(edit));
  expect(await stage.control.applyServerEdit({ ...edit, base: next.base })).toMatchObject({ isDone: true });
  expect(await stage.read('mcp_servers.yaml')).toContain('# theirs');
  const { change = 0 } = (await stage.control.configFiles())?.lastEdit ?? {};
  await writeFile(stage.path('mcp_servers.yaml'), yaml.replace('# mine', '# theirs again'));
  await expect(stage.control.undoServerEdit({ change })).rejects.toThrow('has been changed since');
  expect(await stage.read('mcp_servers.yaml')).toContain('# theirs again');
});

test('a read-only file is reported, and stays as it is', async () => {
  await using stage = await opened({ 'mcp_servers.yaml': yaml });
  await chmod(stage.path('mcp_servers.yaml'), 0o444);
  const edit = { server: 'echo', changes: { priority: 7 } };
  const { base } = planned(await stage.control.planServerEdit(edit));
  const refused = await stage.control.applyServerEdit({ ...edit, base });
  expect(refused).toEqual({ isDone: false, message: expect.stringMatching(/Nothing was saved: .*read-only/) });
  expect(await stage.read('mcp_servers.yaml')).toBe(yaml);
  expect((await stage.control.configFiles())?.lastEdit).toBeUndefined();
});

test('each layer has its own servers, and a file of JSON stays JSON', async () => {
  const json = JSON.stringify({ mcpServers: { mine: { command, args, note: 'of another app' } } }, null, '\t');
  const own = `mcp_servers:\n  notes:\n    ${launch}\n`;
  await using stage = await opened({ '.mcp.json': json, [userServers]: own });
  const { control } = stage;
  const limited = await control.serverEdit({ server: 'mine' });
  expect(Object.keys(limited.schema.properties ?? {})).toEqual(['disabled']);
  expect(limited.note).toContain('format of other apps');
  const edit = { server: 'mine', changes: { disabled: true } };
  const { base, file, effects } = planned(await control.planServerEdit(edit));
  expect(file).toBe(stage.path('.mcp.json'));
  expect(effects[0]).toBe('“mine” does not start by itself any more.');
  expect(await control.applyServerEdit({ ...edit, base })).toEqual({
    isDone: true,
    message: '“mine” is saved, and in effect.',
  });
  const text = await stage.read('.mcp.json');
  expect(JSON.parse(text)).toEqual({ mcpServers: { mine: { command, args, note: 'of another app', disabled: true } } });
  expect(text).toContain('\n\t\t\t"note": "of another app",');
  expect((await rowOf(control, 'mine'))?.autoStart).toBe(false);

  const other = { server: 'notes', changes: { priority: 3 } };
  const plan = planned(await control.planServerEdit(other));
  expect(plan.file).toBe(stage.path(userServers));
  expect(await control.applyServerEdit({ ...other, base: plan.base })).toMatchObject({ isDone: true });
  expect(await stage.read(userServers)).toBe(`${own}    priority: 3\n`);
});

test('a consent stays with an edit of the lists of tools, and one that is missing is not given', async () => {
  await using stage = await opened({ 'mcp_servers.yaml': yaml });
  const { control } = stage;
  await control.start({ servers: ['echo'] });
  const edit = { server: 'echo', changes: { denied_tools: ['fail'] } };
  const plan = planned(await control.planServerEdit(edit));
  expect(plan.effects).toContain('Your consent to “echo” is stored for its entry with these lists of tools.');
  expect(await control.applyServerEdit({ ...edit, base: plan.base })).toMatchObject({ isDone: true });
  const row = await rowOf(control, 'echo');
  expect([row?.state, row?.waitsForConsent]).toEqual(['running', undefined]);

  await using strange = await opened({ 'mcp_servers.yaml': yaml }, { env: {} as { MCPX_TRUST: string } });
  const next = planned(await strange.control.planServerEdit(edit));
  expect(next.effects.join('\n')).not.toContain('consent to “echo” is stored');
  expect(await strange.control.applyServerEdit({ ...edit, base: next.base })).toMatchObject({ isDone: true });
  expect(await rowOf(strange.control, 'echo')).toMatchObject({ waitsForConsent: true });
});

test('no consent is stored with an edit that brings another launch of the file into effect', async () => {
  await using stage = await opened({ 'mcp_servers.yaml': yaml });
  const { control } = stage;
  const foreign = yaml.replace(
    'auto_start: true   # odd spaces',
    'env: { API_TOKEN: not-in-effect-5f1c }\n    priority: broken',
  );
  await writeFile(stage.path('mcp_servers.yaml'), foreign);
  const edit = { server: 'echo', changes: { priority: 7, denied_tools: ['fail'] } };
  const plan = planned(await control.planServerEdit(edit));
  expect(plan.effects.join('\n')).not.toContain('onsent to “echo” is stored');
  expect(plan.diff).toContain('+    priority: 7');
  expect(plan.diff).not.toContain('not-in-effect-5f1c');
  expect(await control.applyServerEdit({ ...edit, base: plan.base })).toMatchObject({ isDone: true });
  expect(await rowOf(control, 'echo')).toMatchObject({ waitsForConsent: true });
});

test('an edit beside other errors is saved, and said not to be in effect', async () => {
  await using stage = await opened({ 'mcp_servers.yaml': yaml });
  await writeFile(stage.path('mcp_servers.yaml'), `${yaml}    auto_strat: true\n`);
  const edit = { server: 'echo', changes: { priority: 7 } };
  const plan = planned(await stage.control.planServerEdit(edit));
  expect(plan.effects).toEqual(['Nothing changes before the other errors of the files are corrected.']);
  const saved = await stage.control.applyServerEdit({ ...edit, base: plan.base });
  expect(saved).toMatchObject({ isDone: true, message: expect.stringContaining('but not in effect: ') });
  expect(await stage.read('mcp_servers.yaml')).toContain('    priority: 7\n');
});

test('a file with a syntax error is not edited, and its place is named', async () => {
  await using stage = await opened({ 'mcp_servers.yaml': yaml });
  await writeFile(stage.path('mcp_servers.yaml'), yaml.replace('# odd spaces', '\n   - ]'));
  const plan = await stage.control.planServerEdit({ server: 'echo', changes: { priority: 7 } });
  expect(plan).toMatchObject({ outcome: 'refused' });
});
