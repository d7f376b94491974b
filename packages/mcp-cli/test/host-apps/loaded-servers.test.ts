import { readFile } from 'node:fs/promises';
import { loadConfig } from '@x/mcp-config-schema/load';
import { currentPlace, syncHosts } from '@x/mcp-host-sync';
import { expect, test } from 'vitest';
import { userWorld } from '../helpers/user-world.js';

test('servers of a loaded config come into the file of a project with their variables, and not with the values', async () => {
  await using user = await userWorld({
    'project/mcp_servers.yaml': `mcp_servers:\n  github:\n    command: npx -y server-github\n    env:\n      GITHUB_TOKEN: \${GITHUB_TOKEN}\n`,
  });
  const { project, home } = user;
  const place = { ...currentPlace(), env: {}, home, project };
  const options = { place, stateDirectory: user.state, hosts: ['cursor-project'] };
  const load = { cwd: project, userDirectory: home, env: { GITHUB_TOKEN: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' } };

  const expanded = await loadConfig(load);
  const refused = await syncHosts(expanded.servers, options);
  expect(refused.plan.issues.map(({ code }) => code)).toContain('secret-in-project-file');
  expect(refused.result?.files).toEqual([]);

  const kept = await loadConfig({ ...load, variables: 'keep' });
  const { plan, result } = await syncHosts(kept.servers, options);
  expect(plan.issues).toEqual([]);
  const text = await readFile(result?.files[0]?.file ?? '', 'utf8');
  expect(JSON.parse(text).mcpServers.github.env).toEqual({ GITHUB_TOKEN: `\${env:GITHUB_TOKEN}` });
});

test('a disabled server of a loaded config is off in a host that can express it, and missing in others', async () => {
  await using user = await userWorld({
    'project/mcp_servers.yaml': 'mcp_servers:\n  off: { command: x, disabled: true }\n  on: { command: y }\n',
  });
  const { project, home } = user;
  const place = { ...currentPlace(), env: {}, home, project };
  const { servers } = await loadConfig({ cwd: project, userDirectory: home, env: {} });
  const hosts = ['cursor-project', 'roo-project'];
  const { plan } = await syncHosts(servers, { place, stateDirectory: user.state, hosts });
  expect(plan.steps.map(({ type, host, server }) => `${type} ${host} ${server}`).sort()).toEqual([
    'add cursor-project on',
    'add roo-project off',
    'add roo-project on',
  ]);
  const written = JSON.parse(await user.read('project/.roo/mcp.json')).mcpServers;
  expect(written).toMatchObject({ off: { command: 'x', disabled: true }, on: { command: 'y' } });
  expect(written.on).not.toHaveProperty('disabled');
});
