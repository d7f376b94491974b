import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { gateway } from './exercise.mjs';

const { url, headers } = gateway;
const client = await createMCPClient({ transport: url ? { type: 'http', url, headers } : new StdioTransport(gateway) });
const tools = await client.tools();
const called = await tools.mcp__everything__echo.execute({ message: 'hello' }, { toolCallId: '1', messages: [] });
const { resources } = await client.listResources();
const read = await client.readResource({ uri: resources[0].uri });
const { prompts } = await client.experimental_listPrompts();
const prompt = await client.experimental_getPrompt({ name: 'mcp__everything__simple-prompt' });
const names = Object.keys(tools).map((name) => ({ name }));
console.log(JSON.stringify({ tools: names, called, resources, read, prompts, prompt }));
await client.close();
