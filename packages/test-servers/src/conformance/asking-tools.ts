// Tools that need one response of the client: to a request during the call (2025 revisions), or with the repeated call
// (2026-07-28).

import {
  type ElicitInputParams,
  type ElicitRequestFormParams,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { textResult } from './sample-data.js';

type Form = ElicitRequestFormParams['requestedSchema'];

const userForm: Form = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
};

/** One field of every primitive type, each with a default (SEP-1034). */
const formWithDefaults: Form = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};

const titled = (word: string) => [
  { const: 'value1', title: `First ${word}` },
  { const: 'value2', title: `Second ${word}` },
  { const: 'value3', title: `Third ${word}` },
];

/** One field for each of the five ways to write a choice (SEP-1330). */
const enumForm: Form = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
};

/** `rounds`: in every era, by the SDK. `requests`: with requests of their own, which only earlier revisions have. */
export type Asks = 'rounds' | 'requests';

export function addAskingTools(server: McpServer, { asks }: { readonly asks: Asks }): void {
  const ask = asks === 'requests' ? requestFromUser : askUser;
  server.registerTool(
    'test_sampling',
    { description: "Asks the client's model", inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      if (asks === 'requests') {
        const { content } = await mcpReq.send({ method: 'sampling/createMessage', params: questionOf(prompt) });
        return textResult(`LLM response: ${JSON.stringify(content)}`);
      }
      const answer = inputResponse(mcpReq.inputResponses, 'answer');
      return answer.kind === 'sampling'
        ? textResult(`LLM response: ${JSON.stringify(answer.result.content)}`)
        : inputRequired({ inputRequests: { answer: question(prompt) } });
    },
  );
  server.registerTool('test_missing_capability', { description: 'Needs a client that has a model' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'answer');
    return answer.kind === 'sampling'
      ? textResult('The client has a model')
      : inputRequired({ inputRequests: { answer: question('Are you there?') } });
  });
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user', inputSchema: z.object({ message: z.string() }) },
    ({ message }, { mcpReq }) => ask(mcpReq, { message, requestedSchema: userForm }, 'User response'),
  );
  for (const [name, description, requestedSchema] of forms) {
    server.registerTool(name, { description }, ({ mcpReq }) =>
      (name === 'test_streaming_elicitation' ? askUser : ask)(
        mcpReq,
        { message: 'Please fill in the form', requestedSchema },
        'Elicitation completed',
      ),
    );
  }
}

const forms = [
  ['test_elicitation_sep1034_defaults', 'Asks the user with a form that is filled in', formWithDefaults],
  ['test_elicitation_sep1330_enums', 'Asks the user to choose, in every way there is', enumForm],
  ['test_streaming_elicitation', 'Asks the user, and a client that streams sees no request of its own', userForm],
] as const;

function question(prompt: string) {
  return inputRequired.createMessage(questionOf(prompt));
}

function questionOf(prompt: string) {
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }], maxTokens: 100 };
}

function askUser(mcpReq: { inputResponses?: Record<string, unknown> }, form: ElicitInputParams, opening: string) {
  const answer = inputResponse(mcpReq.inputResponses, 'answer');
  return answer.kind === 'elicit'
    ? textResult(`${opening}: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`)
    : inputRequired({ inputRequests: { answer: inputRequired.elicit(form) } });
}

async function requestFromUser(mcpReq: ServerContext['mcpReq'], form: ElicitInputParams, opening: string) {
  const { action, content = {} } = await mcpReq.send({ method: 'elicitation/create', params: { ...form } });
  return textResult(`${opening}: action=${action}, content=${JSON.stringify(content)}`);
}
