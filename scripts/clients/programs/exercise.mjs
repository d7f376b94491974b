// Runs in a folder with the client library. GATEWAY is `{ command, args, cwd }` or `{ url, headers }`.
export const gateway = JSON.parse(process.env.GATEWAY);

/** Prints as JSON what a client of the protocol's SDK gets from the gateway. */
export async function exercise(client) {
  const { tools } = await client.listTools();
  const called = await client.callTool({ name: 'mcp__everything__echo', arguments: { message: 'hello' } });
  const { resources } = await client.listResources();
  const read = await client.readResource({ uri: resources[0].uri });
  const { prompts } = await client.listPrompts();
  const prompt = await client.getPrompt({ name: 'mcp__everything__simple-prompt' });
  console.log(JSON.stringify({ tools, called, resources, read, prompts, prompt }));
}
