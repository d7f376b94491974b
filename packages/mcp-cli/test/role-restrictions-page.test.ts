import { readFileSync } from 'node:fs';
import { checkConfig } from '@x/mcp-config-schema';
import { createRegistry, type Registry } from '@x/mcp-registry';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../../docs/role-restrictions.md', import.meta.url), 'utf8');
const examples = Array.from(page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm), ([, text = '']) => text);
const servers = { file: 'mcp_servers.yaml', text: 'mcp_servers: { filesystem: { command: x }, git: { command: x } }' };

/** What an example of the page makes of a few tools. */
async function openExample(index: number): Promise<Registry> {
  const { config, issues } = checkConfig([servers, { file: 'tools.yaml', text: examples[index] ?? '' }]);
  expect(issues).toEqual([]);
  const registry = createRegistry({ roles: config?.roles });
  const tool = (name: string, readOnlyHint?: boolean) => {
    return {
      name,
      inputSchema: { type: 'object' },
      ...(readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }),
    };
  };
  const offered = {
    filesystem: [
      tool('read_text_file', true),
      tool('write_file', false),
      tool('edit_file', true),
      tool('move_file', false),
    ],
    git: [tool('log'), tool('diff_staged', true), tool('commit', false)],
  };
  for (const [name, tools] of Object.entries(offered)) {
    await registry.attach({ name, listTools: () => tools, callTool: async () => ({ content: [] }) }).ready;
  }
  registry.register({ name: 'grep', description: 'Finds text', annotations: { readOnlyHint: true } }, () => '');
  return registry;
}

const toolsOf = (registry: Registry, options: Parameters<Registry['view']>[0]) =>
  registry
    .view(options)
    .list()
    .map(({ server, tool }) => (server === undefined ? tool : `${server}.${tool}`))
    .filter((name) => name !== 'search_mcp_tools');

test('the first example does what the page says of it', async () => {
  await using registry = await openExample(0);
  expect(toolsOf(registry, { role: 'review' })).toEqual(['grep', 'filesystem.read_text_file', 'git.diff_staged']);
  expect(toolsOf(registry, { role: 'implementation' })).toEqual(['filesystem.write_file', 'git.commit', 'git.log']);
  expect(toolsOf(registry, { principal: 'bob' })).toEqual(['git.log']);
  const reviewer = registry.view({ role: 'review' });
  await expect(reviewer.call('mcp__filesystem__write_file')).rejects.toMatchObject({ code: 'unknown-tool' });
});

test('operators see what the page shows', async () => {
  await using registry = await openExample(0);
  const asked = Array.from(
    page.matchAll(/^console\.log\(registry\.explain\('(.*?)', '(.*?)'\)\.message\);\n\/\/ (.*)$/gm),
  );
  expect(asked).toHaveLength(3);
  for (const [, role = '', tool = '', message] of asked)
    expect((await registry.explain(role, tool)).message).toBe(message);
});

test('an heir with required annotations and nothing of its own is the read-only form of its parent', async () => {
  await using registry = await openExample(1);
  expect(toolsOf(registry, { role: 'dry-run' })).toEqual([
    'filesystem.edit_file',
    'filesystem.read_text_file',
    'git.diff_staged',
  ]);
});

test('resources and prompts are allowed as the page says', async () => {
  await using registry = await openExample(2);
  const policy = registry.policy({ role: 'review' });
  const asked = Array.from(page.matchAll(/^console\.log\(policy\((\{.*\})\)\.isAllowed\); \/\/ (true|false)$/gm));
  expect(asked).toHaveLength(3);
  for (const [, subject = '', expected] of asked) {
    const json = subject.replaceAll("'", '"').replaceAll(/(\w+): "/g, '"$1": "');
    expect(String(policy(JSON.parse(json)).isAllowed)).toBe(expected);
  }
});
