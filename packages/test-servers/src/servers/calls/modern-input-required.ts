// Serves only revision 2026-07-28; its tools request input before their result.
import { fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const answer = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });
const form = { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] };
const question = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Well?' } }],
  maxTokens: 10,
};

serveStdio(
  () => {
    const server = new McpServer({ name: 'modern-input-required', version: '1.0.0' });
    server.registerTool('greet', { description: 'Asks the user for a name' }, (context) => {
      const { inputResponses } = context.mcpReq;
      if (inputResponses?.who) return answer({ who: inputResponses.who, state: context.mcpReq.requestState() });
      const who = inputRequired.elicit({ message: 'Who are you?', requestedSchema: form });
      return inputRequired({ inputRequests: { who }, requestState: 'opaque ✓ state' });
    });
    server.registerTool('all', { description: 'Asks for all there is at once' }, (context) => {
      const { inputResponses } = context.mcpReq;
      if (inputResponses) return answer(inputResponses);
      return inputRequired({
        inputRequests: {
          who: inputRequired.elicit({ message: 'Who are you?', requestedSchema: form }),
          page: inputRequired.elicitUrl({ message: 'Go there', url: 'https://example.com/' }),
          words: inputRequired.createMessage(question),
          roots: inputRequired.listRoots(),
        },
      });
    });
    server.registerTool('endless', { description: 'Is never content' }, () =>
      inputRequired({ inputRequests: { roots: inputRequired.listRoots() } }),
    );
    const inputSchema = fromJsonSchema<{ times: number }>({
      type: 'object',
      properties: { times: { type: 'number' } },
      required: ['times'],
    });
    server.registerTool('later', { description: 'Asks to be asked again', inputSchema }, ({ times }, context) => {
      const round = Number(context.mcpReq.requestState() ?? 0);
      return round < times ? inputRequired({ requestState: String(round + 1) }) : answer({ round });
    });
    return server;
  },
  { legacy: 'reject' },
);
process.stdin.on('end', () => process.exit(0));
