// Tools that need one response of the client: to a request during the call (2025 revisions), or with the repeated call
// (2026-07-28).
import { type ElicitInputParams, inputRequired, inputResponse, type McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { enumForm, formWithDefaults, userForm } from './forms.js';
import { say } from './sample-data.js';

export function addAskingTools(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: "Asks the client's model", inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'answer');
      return answer.kind === 'sampling'
        ? say(`LLM response: ${JSON.stringify(answer.result.content)}`)
        : inputRequired({ inputRequests: { answer: question(prompt) } });
    },
  );
  server.registerTool('test_missing_capability', { description: 'Needs a client that has a model' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'answer');
    return answer.kind === 'sampling'
      ? say('The client has a model')
      : inputRequired({ inputRequests: { answer: question('Are you there?') } });
  });
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user', inputSchema: z.object({ message: z.string() }) },
    ({ message }, { mcpReq }) => askUser(mcpReq, { message, requestedSchema: userForm }, 'User response'),
  );
  for (const [name, description, requestedSchema] of forms) {
    server.registerTool(name, { description }, ({ mcpReq }) =>
      askUser(mcpReq, { message: 'Please fill in the form', requestedSchema }, 'Elicitation completed'),
    );
  }
}

const forms = [
  ['test_elicitation_sep1034_defaults', 'Asks the user with a form that is filled in', formWithDefaults],
  ['test_elicitation_sep1330_enums', 'Asks the user to choose, in every way there is', enumForm],
  ['test_streaming_elicitation', 'Asks the user, and a client that streams sees no request of its own', userForm],
] as const;

function question(prompt: string) {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens: 100,
  });
}

function askUser(mcpReq: { inputResponses?: Record<string, unknown> }, form: ElicitInputParams, opening: string) {
  const answer = inputResponse(mcpReq.inputResponses, 'answer');
  return answer.kind === 'elicit'
    ? say(`${opening}: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`)
    : inputRequired({ inputRequests: { answer: inputRequired.elicit(form) } });
}
