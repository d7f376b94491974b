// What a client does in each scenario of the conformance suite, written once for every client that is compared.

/**
 * @typedef {object} Host What a client under test can do.
 * @property {() => Promise<{ name: string, inputSchema: object }[]>} listTools
 * @property {(name: string, args: object) => Promise<unknown>} callTool
 * @property {() => Promise<{ uri: string }[]>} listResources
 * @property {(uri: string) => Promise<unknown>} readResource
 * @property {() => Promise<{ name: string }[]>} listPrompts
 * @property {(name: string) => Promise<unknown>} getPrompt
 */

/** @param {{ scenario: string, context: { toolCalls?: { name: string, arguments: object }[] }, host: Host }} options */
export async function play({ scenario, context, host }) {
  const tools = await host.listTools();
  if (scenario === 'initialize') return;
  if (scenario === 'sep-2322-client-request-state') return playRounds(host);
  const calls = context.toolCalls ?? tools.map(({ name }) => ({ name, arguments: argumentsFor(name, tools) }));
  for (const { name, arguments: args } of calls) await host.callTool(name, args).catch(tell);
  if (scenario === 'http-standard-headers') await readAll(host);
}

/** Arguments that a scenario wants to see, where it does not name them itself. */
function argumentsFor(name, tools) {
  switch (name) {
    case 'add_numbers':
      return { a: 5, b: 3 };
    case 'valid_tool':
      return { region: 'us-west1' };
    case 'json_schema_echo': // wants to see what became of its neighbour's schema on the way
      return { schema: tools.find((tool) => tool.name === 'json_schema_2020_12_tool')?.inputSchema };
    default:
      return {};
  }
}

/** One call after the other; the last one is answered with something that is no result and must not be repeated. */
async function playRounds(host) {
  for (const tool of ['test_mrtr_echo_state', 'test_mrtr_no_state', 'test_mrtr_unrelated'])
    await host.callTool(tool, {});
  await host.callTool('test_mrtr_no_result_type', {}).catch(tell);
}

async function readAll(host) {
  const [resource] = await host.listResources();
  if (resource) await host.readResource(resource.uri);
  const [prompt] = await host.listPrompts();
  if (prompt) await host.getPrompt(prompt.name);
}

function tell(error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
