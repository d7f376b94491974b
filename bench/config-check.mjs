// What checking costs beside reading: 1,000 servers and 20 tools, with every cross-check and every position kept, beside
// `yaml` and `zod` alone on the same texts. Run after a build: node bench/config-check.mjs
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { checkConfig } from '../packages/mcp-config-schema/dist/index.js';
import { interleaved, medianOf, numbersFrom, printConditions, printTable, ratioOf, spreadOf } from './measurement.mjs';

const packageRequire = createRequire(new URL('../packages/mcp-config-schema/package.json', import.meta.url));
const { parse } = packageRequire('yaml');
const { mcpServersFileSchema, toolsFileSchema } = await schemasAlone();
const version = (name) => packageRequire(`${name}/package.json`).version;

const { rounds } = numbersFrom({ rounds: 40 });
const servers = serversText(1_000);
const tools = toolsText(20, 1_000);

const measured = await interleaved(
  {
    read: () => timed(() => [parse(servers), parse(tools)]),
    peer: () => timed(readWithPeer),
    ours: () => timed(checkWithOurs),
  },
  rounds,
);
requireSameResult();

const [read, peer, ours] = ['read', 'peer', 'ours'].map((name) => measured.get(name));
const row = (name, values) => [name, medianOf(values).toFixed(1), spreadOf(values), ratioOf(values, peer).toFixed(2)];
const kilobytes = (servers.length / 1_000).toFixed(0);
printTable(`Check ${kilobytes} kB of YAML with 1,000 servers, and 20 tools with 3 roles each`, [
  ['', 'median ms', 'middle half', 'ratio'],
  row('yaml alone, no check', read),
  row('yaml and zod', peer),
  row('checkConfig: all issues, positions, cross-checks', ours),
]);
printConditions({
  how: [`${rounds} interleaved rounds`, "the ratio is the median of the rounds' ratios"],
  peers: ['yaml', 'zod'].map((name) => `${name} ${version(name)}`),
});

/** The schemas of both files, which no entry exports, as one module. */
async function schemasAlone() {
  const { build } = createRequire(createRequire(import.meta.url).resolve('tsup'))('esbuild');
  const { outputFiles } = await build({
    stdin: {
      contents: `export * from './server-files.ts'; export * from './tools-file.ts';`,
      resolveDir: fileURLToPath(new URL('../packages/mcp-config-schema/src/schema', import.meta.url)),
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'error',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

function readWithPeer() {
  return [mcpServersFileSchema.parse(parse(servers)), toolsFileSchema.parse(parse(tools))];
}

function checkWithOurs() {
  return checkConfig([
    { file: 'mcp_servers.yaml', text: servers },
    { file: 'tools.yaml', text: tools },
  ]);
}

function requireSameResult() {
  const { config, issues } = checkWithOurs();
  const [{ mcp_servers: entries }, { tools: toolEntries }] = readWithPeer();
  const names = JSON.stringify([Object.keys(entries), Object.keys(toolEntries)]);
  const isSame =
    JSON.stringify([config?.servers, config?.tools].map((list) => list?.map(({ name }) => name))) === names;
  if (issues.length > 0 || !isSame) throw new Error('The two sides do not agree on what the texts say');
}

function timed(work) {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

function serversText(count) {
  const entries = Array.from(
    { length: count },
    (_, n) => `  server-${n}:
    package: "@example/server-${n}"
    command: npx -y @example/server-${n} --root /srv/data/${n}
    auto_start: ${n % 2 === 0}
    tags: [example, group-${n % 10}]
    env:
      LOG_LEVEL: info
      API_TOKEN: "\${API_TOKEN:-}"
    denied_tools: ["delete_*"]
    health_check:
      method: tool_call
      tool: server-${n}.status
      args: { path: /tmp }
      timeout_seconds: 5
    restart_on_failure: true
    max_restart_attempts: 3
`,
  );
  return `mcp_servers:\n${entries.join('')}mcp_settings:\n  startup_timeout_seconds: 10\n`;
}

function toolsText(count, serverCount) {
  const server = (n) => `server-${n % serverCount}`;
  const entries = Array.from({ length: count }, (_, n) => {
    const allowed = Array.from({ length: 10 }, (_rule, index) => `${server(n * 10 + index)}.read_*`);
    const roles = ['build', 'review', 'release'].map(
      (role) => `      ${role}: { allowed_tools: [${allowed.join(', ')}] }\n`,
    );
    return `  tool-${n}:
    binary: tool-${n}
    mcp_tools:
      required: [${server(n)}, ${server(n + 1)}]
      recommended: [${server(n + 100)}]
    role_restrictions:
${roles.join('')}`;
  });
  return `tools:\n${entries.join('')}`;
}
