import { openTools } from '@x/mcp';

const tools = await openTools({ config: 'mcp_servers.yaml' });
const greeting = await tools.call('mcp__greeter__greet', { name: 'Ada' });
console.log(greeting.text());
await tools.close();
