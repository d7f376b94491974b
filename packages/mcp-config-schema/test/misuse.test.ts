// biome-ignore-all lint/suspicious/noExplicitAny: programs without types make these mistakes.
import { documentedMistakes, type Mistake, outcomeOf } from '@x/test-servers';
import { expect, test } from 'vitest';
import { checkConfig, checkRequirements, formatIssue, parseConfig } from '../src/index.js';
import { checkFiles, loadConfig, watchConfig } from '../src/load.js';
import { createSecretLookup, resolveSecrets } from '../src/secrets.js';
import { expandTemplate } from '../src/templates.js';

const anything = (value: unknown): any => value;
const text = 'mcp_servers: { files: { command: files-mcp } }';

const parse = (input: unknown, options?: unknown) => ({
  returned: JSON.stringify(parseConfig(anything(input), anything(options))),
});
const load = async (options: unknown) => ({ returned: JSON.stringify(await loadConfig(anything(options))) });

/** The issues of one entry of `mcp_servers`. */
function entry(fields: string, more = ''): { reports: string } | { works: string } {
  const { issues, config } = checkConfig([
    { file: 'mcp_servers.yaml', text: `mcp_servers:\n  files: { ${fields} }\n${more}` },
  ]);
  const [server] = config?.servers ?? [];
  if (issues.length === 0 && server?.transport === 'stdio') {
    return { works: [server.command, ...server.args].map((word) => `\`${word}\``).join(' ') };
  }
  return {
    reports: issues.map(({ code, message, hint }) => [code, message, hint].filter(Boolean).join(': ')).join('; '),
  };
}

function role(rule: string): { reports: string } {
  const tools = `tools:\n  editor:\n    mcp_tools: { required: [files] }\n    role_restrictions: { reader: ${rule} }\n`;
  const { issues } = checkConfig([
    { file: 'mcp_servers.yaml', text },
    { file: 'tools.yaml', text: tools },
  ]);
  return {
    reports: issues.map(({ code, message, hint }) => [code, message, hint].filter(Boolean).join(': ')).join('; '),
  };
}

const mistakes: Readonly<Record<string, Mistake>> = {
  'parseConfig("mcp_servers: …"), the text alone': () => parse(text),
  'parseConfig({ mcpServers: { … } }), the content': () => parse({ mcpServers: { files: { command: 'files-mcp' } } }),
  'parseConfig(readInput()) of an async function': () => parse(Promise.resolve({ text })),
  'parseConfig({ text: readFile(path) }) without await': () => parse({ text: Promise.resolve(text) }),
  'parseConfig({ text: await readFile(path) }), a buffer': () => parse({ text: Buffer.from(text) }),
  'parseConfig([])': () => parse([]),
  'parseConfig({ text, files: "mcp_servers.yaml" })': () => parse({ text, files: 'mcp_servers.yaml' }),
  'parseConfig({ text, layer: "global" })': () => parse({ text, layer: 'global' }),
  'parseConfig(input, { variable: process.env })': () => parse({ text }, { variable: {} }),
  'parseConfig(input, process.env)': () => parse({ text }, { HOME: '/home/ada' }),
  'parseConfig(input, { variables: "expand" })': () => parse({ text }, { variables: 'expand' }),
  'parseConfig({ text: "{\\"mcpServers\\":{}}" }), JSON without a file name': () => {
    const json = JSON.stringify({ mcpServers: { files: { command: 'files-mcp' } } });
    return {
      works: parseConfig({ text: json })
        .servers.map(({ name }) => `\`${name}\``)
        .join(),
    };
  },
  'loadConfig("mcp_servers.yaml")': () => load('mcp_servers.yaml'),
  'loadConfig(["mcp_servers.yaml"])': () => load(['mcp_servers.yaml']),
  'loadConfig({ file: "mcp_servers.yaml" })': () => load({ file: 'mcp_servers.yaml' }),
  'loadConfig({ files: "mcp_servers.yaml" })': () => load({ files: 'mcp_servers.yaml' }),
  'loadConfig({ files: [] })': () => load({ files: [] }),
  'loadConfig({ path: "mcp_servers.yaml" })': () => load({ path: 'mcp_servers.yaml' }),
  'loadConfig({ secret: "resolve" })': () => load({ secret: 'resolve' }),
  'loadConfig({ secrets: true })': () => load({ secrets: true }),
  'loadConfig({ secrets: "resolve", variables: "keep" })': () => load({ secrets: 'resolve', variables: 'keep' }),
  'loadConfig({ layers: "user" })': () => load({ layers: 'user' }),
  'loadConfig({ layers: ["explicit"] }) without files': () => load({ layers: ['explicit'] }),
  'loadConfig(findOptions()) of an async function': () => load(Promise.resolve({})),
  'checkFiles("mcp_servers.yaml")': async () => ({ returned: await checkFiles(anything('mcp_servers.yaml')) }),
  'watchConfig("mcp_servers.yaml")': () => ({ returned: watchConfig(anything('mcp_servers.yaml')) }),
  'watchConfig(listener)': () => ({ returned: watchConfig(anything(() => undefined)) }),
  'watchConfig({ checkIntervalMs: 5 }), seconds for milliseconds': () => ({
    returned: watchConfig({ checkIntervalMs: 5 }),
  }),
  'watchConfig({ signal: controller })': () => ({
    returned: watchConfig({ signal: anything(new AbortController()) }),
  }),
  'checkRequirements(loadConfig()) without await': () => ({
    returned: checkRequirements(anything(Promise.resolve(parseConfig({ text })))),
  }),
  'resolveSecrets(config)': async () => ({ returned: await resolveSecrets(anything(parseConfig({ text }))) }),
  'resolveSecrets(servers, { timeout: 5_000 })': async () => ({
    returned: await resolveSecrets([], anything({ timeout: 5_000 })),
  }),
  'createSecretLookup({ resolver: { vault } })': () => ({
    returned: createSecretLookup(anything({ resolver: { vault: () => '' } })),
  }),
  'createSecretLookup({ resolvers: { vault: "https://vault" } })': () => ({
    returned: createSecretLookup(anything({ resolvers: { vault: 'https://vault' } })),
  }),
  'formatIssue(issue, text)': () => {
    const [issue] = checkConfig({ text: 'mcp_servers: { files: { comand: x } }' }).issues;
    return { returned: formatIssue(anything(issue), anything(text)) };
  },
  'expandTemplate("${HOME}") without variables': () => ({ returned: expandTemplate(`\${HOME}`, anything(undefined)) }),
  'startup_timeout: 10': () => entry('command: files-mcp, startup_timeout: 10'),
  'autoStart: true': () => entry('command: files-mcp, autoStart: true'),
  'startup_timeout_seconds: 10000, milliseconds for seconds': () =>
    entry('command: files-mcp, startup_timeout_seconds: 10000'),
  'auto_start: "yes"': () => entry('command: files-mcp, auto_start: "yes"'),
  'command: npx -y files-mcp': () => entry('command: npx -y files-mcp'),
  'command: https://example.com/mcp': () => entry('command: "https://example.com/mcp"'),
  'command and url of one server': () => entry('command: files-mcp, url: "https://example.com/mcp"'),
  'args: "-y files-mcp"': () => entry('command: npx, args: "-y files-mcp"'),
  'env: [LEVEL=debug]': () => entry('command: files-mcp, env: [LEVEL=debug]'),
  'env: { TOKEN: "${secret:env:TOKEN}" }': () => entry(`command: files-mcp, env: { TOKEN: "\${secret:env:TOKEN}" }`),
  'env: { TOKEN: { secret_ref: TOKEN } }': () => entry('command: files-mcp, env: { TOKEN: { secret_ref: TOKEN } }'),
  'allowed_tools: read_text': () => entry('command: files-mcp, allowed_tools: read_text'),
  'tools: [read_text]': () => entry('command: files-mcp, tools: [read_text]'),
  'tools: { read_text: { descripton: "Reads" } }': () =>
    entry('command: files-mcp, tools: { read_text: { descripton: "Reads" } }'),
  'health_check: { method: tool_call } without a tool': () =>
    entry('command: files-mcp, health_check: { method: tool_call }'),
  'mcp_setting: { … }': () => entry('command: files-mcp', 'mcp_setting: { startup_timeout_seconds: 10 }'),
  'reader: { allowed_tools: [flies.read] }, a misspelt server': () => role('{ allowed_tools: [flies.read] }'),
  'reader: { allowed_tools: [files], denied_tool: [files.write] }': () =>
    role('{ allowed_tools: [files], denied_tool: [files.write] }'),
};

const page = documentedMistakes(new URL('../../../docs/decisions/misuse.md', import.meta.url), 'Configuration');

test('the page has a row for each mistake', () => {
  expect(Object.keys(mistakes)).toEqual(Array.from(page.keys()));
});

for (const [written, mistake] of Object.entries(mistakes)) {
  test(written, async () => expect(await outcomeOf(mistake)).toBe(page.get(written)));
}
