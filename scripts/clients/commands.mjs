// Clients that are commands: mcporter, and the MCP Inspector without its page.
import { expected, expectIn } from './expected.mjs';

/**
 * @param {object} options
 * @param {{ run: (...args: string[]) => Promise<object>, version: string }} options.mcporter
 * @param {{ run: (...args: string[]) => Promise<object>, version: string }} options.inspector
 * @param {Record<string, object>} options.gateways - Host server by the name of its transport.
 * @param {import('./tried.mjs').Tried} options.tried
 */
export async function tryCommands({ mcporter, inspector, gateways, tried }) {
  const ofMcporter = tried.begin('mcporter', mcporter.version);
  const ofInspector = tried.begin('MCP Inspector, `--cli`', inspector.version);
  for (const [way, gateway] of Object.entries(gateways)) {
    await tryMcporter(mcporter.run, gateway, (what, body) => ofMcporter.check(way, what, body));
    await tryInspector(inspector.run, gateway, (what, body) => ofInspector.check(way, what, body));
  }
}

async function tryMcporter(mcporter, gateway, check) {
  const { command, args, url, headers } = gateway;
  const target =
    url === undefined
      ? ['--stdio', command, ...args.flatMap((arg) => ['--stdio-arg', arg])]
      : ['--http-url', url, '--allow-http'];
  const to = [...target, ...pairs('--header', headers, '='), '--name', 'gateway', '--no-oauth'];
  await check('lists tools', async () => {
    const { status, tools } = await mcporter('list', ...to, '--json');
    expectIn('ok', status);
    expected['lists tools']({ tools });
  });
  await check('calls a tool', async () => {
    const words = ['--tool', 'mcp__everything__echo', '--args', '{"message":"hello"}', '--output', 'json'];
    expected['calls a tool'](await mcporter('call', ...to, ...words));
  });
  if (url === undefined) return;
  await check('is refused without the token', async () => {
    const without = [...target, '--name', 'gateway', '--no-oauth', '--json'];
    const told = await mcporter('list', ...without).catch(({ message }) => message);
    expectIn('(401)', JSON.stringify(told));
  });
}

async function tryInspector(inspector, gateway, check) {
  const { command, args, env, url, headers } = gateway;
  const method = (name, ...words) => {
    const asked = [...words, '--method', name, '--connect-timeout', '60000'];
    // What follows an argument of the tool has to be an option, or it would be taken for one more of them.
    return url === undefined
      ? inspector('--cli', ...pairs('-e', env, '='), ...asked, command, ...args)
      : inspector('--cli', url, '--transport', 'http', ...pairs('--header', headers, ': '), ...asked);
  };
  const asks = {
    'lists tools': () => method('tools/list'),
    'calls a tool': () => method('tools/call', '--tool-arg', 'message=hello', '--tool-name', 'mcp__everything__echo'),
    'lists resources': () => method('resources/list'),
    'lists templates': () => method('resources/templates/list'),
    'reads a resource': async () => {
      const { resources } = await method('resources/list');
      return method('resources/read', '--uri', resources[0].uri);
    },
    'lists prompts': () => method('prompts/list'),
    'gets a prompt': () => method('prompts/get', '--prompt-name', 'mcp__everything__simple-prompt'),
  };
  for (const [what, ask] of Object.entries(asks)) await check(what, async () => expected[what](await ask()));
}

function pairs(option, values = {}, between) {
  return Object.entries(values).flatMap(([key, value]) => [option, `${key}${between}${value}`]);
}
