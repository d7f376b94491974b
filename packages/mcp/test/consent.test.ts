import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { withResolvers } from '@x/internal/async';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AskConsent, type LaunchToConfirm, type OpenToolsOptions, openTools, type Tools } from '../src/index.js';
import { folderWith } from './folder-with.js';

type Stage = Awaited<ReturnType<typeof folderWith>>;

/** Where the home and the state directory are, on each system. */
const places = ['HOME', 'USERPROFILE', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'LOCALAPPDATA', 'APPDATA'];

let home: Stage;
beforeEach(async () => {
  home = await folderWith({});
  for (const name of places) vi.stubEnv(name, home.folder);
  vi.stubEnv('MCPX_TRUST', undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await home[Symbol.asyncDispose]();
  await expectNoLeaks();
});

const entry = (...tools: string[]) => ({
  ...testServer('named-tools', '--label', 'files', ...tools),
  auto_start: true,
});
const project = (files: object = entry('read')) => folderWith({ 'mcp_servers.yaml': { mcp_servers: { files } } });
const names = (tools: Tools) => tools.list().map(({ name }) => name);
const statusOf = (tools: Tools) => tools.manager.server('files').status;

/** Opens the project, closes it, and returns what the callback was asked. */
async function askedBy(options: OpenToolsOptions, answer = true): Promise<readonly LaunchToConfirm[]> {
  const asked: LaunchToConfirm[] = [];
  const consent = (launch: LaunchToConfirm) => {
    asked.push(launch);
    return answer;
  };
  await (await openTools({ ...options, consent })).close();
  return asked;
}

describe('a server of a file that the search found', () => {
  test('does not start without consent; without any server, opening fails and names the remedies', async () => {
    await using stage = await project();
    await expect(openTools({ cwd: stage.folder })).rejects.toMatchObject({
      code: 'consent-required',
      message:
        'No server has your consent to start: "files". Run "npx mcpx trust" in its project, pass "consent" to openTools ' +
        'to ask the user, or name the file in "config" if it is yours',
    });
  });

  test('is a failed server beside one with consent, and its status names the remedies', async () => {
    await using stage = await project();
    await askedBy({ cwd: stage.folder });
    await stage.write('mcp_servers.yaml', { mcp_servers: { files: entry('read'), more: entry('write') } });
    await using tools = await openTools({ cwd: stage.folder });
    expect(names(tools)).toEqual(['mcp__files__read', 'search_mcp_tools']);
    expect(tools.manager.server('more').status.pid).toBeUndefined();
    expect(tools.manager.server('more').status.lastError).toMatch(
      /^Server "more" was not started: you have not given consent to what it runs\. Run "npx mcpx trust"/,
    );
  });

  test('starts after the user agrees, who is asked once for one command', async () => {
    await using stage = await project();
    const [launch, ...others] = await askedBy({ cwd: stage.folder });
    expect(others).toEqual([]);
    expect(launch).toMatchObject({ server: 'files', file: join(stage.folder, 'mcp_servers.yaml') });
    expect(launch?.lines).toContain(`in       ${await realpath(stage.folder)}`);

    expect(await askedBy({ cwd: stage.folder })).toEqual([]);
    await using tools = await openTools({ cwd: stage.folder });
    expect(names(tools)).toContain('mcp__files__read');
    await stage.write('mcp_servers.yaml', { mcp_servers: { files: entry('read', 'write') } });
    expect(await askedBy({ cwd: stage.folder })).toHaveLength(1);
  });

  test('does not start if the user refuses, and is asked about again by the next app', async () => {
    await using stage = await project();
    expect(await askedBy({ cwd: stage.folder }, false)).toHaveLength(1);
    await using tools = await openTools({ cwd: stage.folder, consent: async () => 'yes' as never });
    expect(statusOf(tools).state).toBe('failed');
  });

  test('is asked about no longer than the start is needed', async () => {
    await using stage = await project();
    await askedBy({ cwd: stage.folder });
    const { promise: isClosed, resolve: close } = withResolvers<boolean>();
    const { promise: isAsked, resolve: ask } = withResolvers();
    const consent: AskConsent = (_launch, { signal }) => {
      signal.addEventListener('abort', () => close(false)); // as a dialog does
      ask();
      return isClosed;
    };
    const tools = await openTools({ cwd: stage.folder, consent });
    await stage.write('mcp_servers.yaml', { mcp_servers: { files: entry('read', 'write') } });
    const reload = tools.reload();
    await isAsked;
    await tools.close();
    await reload.catch(() => undefined);
    expect(await isClosed).toBe(false);
  });

  test('starts at the next reload after consent was given elsewhere', async () => {
    await using stage = await project();
    await using tools = await openTools({ cwd: stage.folder, consent: () => false });
    await askedBy({ cwd: stage.folder });
    await tools.reload();
    expect(names(tools)).toContain('mcp__files__read');
  });

  test('stops when its entry changes and has no consent any more', async () => {
    await using stage = await project();
    await askedBy({ cwd: stage.folder });
    await using tools = await openTools({ cwd: stage.folder, watch: true });
    expect(statusOf(tools).state).toBe('running');
    const { promise: isFailed, resolve } = withResolvers();
    tools.manager.events.on('server-state', ({ state }) => state.phase === 'failed' && resolve());
    // Another list of tools is the same launch.
    await stage.write('mcp_servers.yaml', { mcp_servers: { files: { ...entry('read'), allowed_tools: ['read'] } } });
    await isFailed;
    await expect(tools.call('mcp__files__read')).rejects.toThrow('you have not given consent to what it runs');
  });

  test('starts with MCPX_TRUST=1, which stores nothing', async () => {
    await using stage = await project();
    vi.stubEnv('MCPX_TRUST', '1');
    await (async () => {
      await using tools = await openTools({ cwd: stage.folder });
      expect(names(tools)).toContain('mcp__files__read');
    })();
    vi.stubEnv('MCPX_TRUST', undefined);
    await expect(openTools({ cwd: stage.folder })).rejects.toMatchObject({ code: 'consent-required' });
  });

  test('needs consent even if an option is undefined, and no setting that was lost names the current folder', async () => {
    await using stage = await project();
    const cwd = stage.folder;
    await expect(openTools({ cwd, manager: { confirmLaunch: undefined } })).rejects.toMatchObject({
      code: 'consent-required',
    });
    for (const config of ['', [''], []]) {
      await expect(openTools({ cwd, config })).rejects.toThrow('config must be a path or a list of paths');
    }
  });

  test('needs consent even if the home of the user leads into the project', async () => {
    await using stage = await project();
    await askedBy({ cwd: stage.folder });
    for (const name of places) vi.stubEnv(name, '.');
    await expect(openTools({ cwd: stage.folder })).rejects.toMatchObject({ code: 'consent-required' });
  });

  test('is for the host alone to judge if it passes confirmLaunch', async () => {
    await using stage = await project();
    await using tools = await openTools({ cwd: stage.folder, manager: { confirmLaunch: () => true } });
    expect(names(tools)).toContain('mcp__files__read');
  });
});

test('a file that the program names needs no consent, unless it passes the callback', async () => {
  await using stage = await project();
  const config = join(stage.folder, 'mcp_servers.yaml');
  await using tools = await openTools({ config });
  expect(names(tools)).toContain('mcp__files__read');
  expect(await askedBy({ config }, false)).toHaveLength(1);
});

test('consent is about files and has one decider, and servers do not change their origin', async () => {
  await expect(openTools({ mcpServers: {}, consent: () => true })).rejects.toThrow(
    'consent is about config files; for mcpServers pass manager: { confirmLaunch }',
  );
  const isAgreed = () => true;
  await expect(openTools({ consent: isAgreed, manager: { confirmLaunch: isAgreed } })).rejects.toThrow(
    'consent and manager.confirmLaunch decide the same; pass one of them',
  );
  await using stage = await project();
  await using tools = await openTools({ config: stage.folder });
  await expect(tools.reload({ mcpServers: {} })).rejects.toThrow(
    'The servers come from files: change these, or open tools with mcpServers',
  );
});
