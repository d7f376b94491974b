import { Agent, OpenAIProvider, Runner } from '@openai/agents';
import { openaiAgents } from '@x/mcp/models';
import { tools, url } from './app.js';

const modelProvider = new OpenAIProvider({ baseURL: `${url}/v1`, apiKey: 'none', useResponses: true });
const runner = new Runner({ modelProvider, tracingDisabled: true });
const model = openaiAgents(tools);
const agent = new Agent({ name: 'Painter', instructions: 'Draw', model: 'model', tools: model.tools });
const { finalOutput } = await runner.run(agent, 'Draw a cat');
console.log(finalOutput);
await tools.close();
