import { randomBytes } from 'node:crypto';
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type McpServer,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { capabilitiesOf } from './capabilities.js';
import { textResult } from './sample-data.js';

/** State of a tool between two rounds. */
interface RoundState {
  readonly tool: string;
  readonly round: number;
  /** The user's input of an earlier round. */
  readonly name?: string;
}

/** Signs the state that a client returns, and rejects a modified one. */
export const requestState = createRequestStateCodec<RoundState>({ key: randomBytes(32) });

const nameForm = z.object({ name: z.string() });
const colorForm = z.object({ color: z.string() });
const okForm = z.object({ ok: z.boolean() });

/** Tools that request input until they have all of it. */
export function addInputRequiredTools(server: McpServer): void {
  addSingleQuestions(server);
  addQuestionsWithState(server);
  addRounds(server);
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks for nothing that the client has not declared' },
    ({ mcpReq }) => {
      if (mcpReq.inputResponses !== undefined)
        return textResult(`Answered: ${Object.keys(mcpReq.inputResponses).join(', ')}`);
      const declared = capabilitiesOf(mcpReq.envelope) ?? server.server.getClientCapabilities() ?? {};
      const inputRequests = {
        ...(declared.elicitation && { user_name: askForName('What is your name?') }),
        ...(declared.sampling && { greeting: askModel('Generate a greeting', 50) }),
        ...(declared.roots && { client_roots: inputRequired.listRoots() }),
      };
      return Object.keys(inputRequests).length > 0
        ? inputRequired({ inputRequests })
        : textResult('No capability to use');
    },
  );
}

function addSingleQuestions(server: McpServer): void {
  server.registerTool(
    'test_input_required_result_elicitation',
    { description: 'Asks for a name' },
    ({ mcpReq: { inputResponses } }) => {
      const user = acceptedContent(inputResponses, 'user_name', nameForm);
      if (user) return textResult(`Hello, ${user.name}!`);
      return inputRequired({ inputRequests: { user_name: askForName('What is your name?') } });
    },
  );
  server.registerTool(
    'test_input_required_result_sampling',
    { description: "Asks the client's model" },
    ({ mcpReq: { inputResponses } }) => {
      const answer = inputResponse(inputResponses, 'capital_question');
      if (answer.kind === 'sampling') return textResult(`The model said: ${JSON.stringify(answer.result.content)}`);
      return inputRequired({ inputRequests: { capital_question: askModel('What is the capital of France?', 100) } });
    },
  );
  server.registerTool(
    'test_input_required_result_list_roots',
    { description: "Asks for the client's roots" },
    ({ mcpReq: { inputResponses } }) => {
      const answer = inputResponse(inputResponses, 'client_roots');
      if (answer.kind === 'roots') return textResult(`Roots: ${answer.roots.map(({ uri }) => uri).join(', ')}`);
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
    },
  );
}

function addQuestionsWithState(server: McpServer): void {
  for (const tool of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    server.registerTool(tool, { description: 'Wants its signed state back' }, async ({ mcpReq }) => {
      const confirmed = acceptedContent(mcpReq.inputResponses, 'confirm', okForm);
      if (confirmed && mcpReq.requestState<RoundState>()?.tool === tool) return textResult('state-ok');
      return inputRequired({
        inputRequests: { confirm: inputRequired.elicit({ message: 'Please confirm', requestedSchema: okForm }) },
        requestState: await requestState.mint({ tool, round: 1 }),
      });
    });
  }
  const tool = 'test_input_required_result_multiple_inputs';
  server.registerTool(tool, { description: 'Asks for all there is at once' }, async ({ mcpReq }) => {
    const user = acceptedContent(mcpReq.inputResponses, 'user_name', nameForm);
    const greeting = inputResponse(mcpReq.inputResponses, 'greeting');
    const roots = inputResponse(mcpReq.inputResponses, 'client_roots');
    if (user && greeting.kind === 'sampling' && roots.kind === 'roots') {
      return textResult(
        `${JSON.stringify(greeting.result.content)} to ${user.name}, who has ${roots.roots.length} roots`,
      );
    }
    return inputRequired({
      inputRequests: {
        user_name: askForName('What is your name?'),
        greeting: askModel('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await requestState.mint({ tool, round: 1 }),
    });
  });
}

function addRounds(server: McpServer): void {
  const tool = 'test_input_required_result_multi_round';
  server.registerTool(tool, { description: 'Asks twice, one after the other' }, async ({ mcpReq }) => {
    const state = mcpReq.requestState<RoundState>();
    const name = state?.name ?? acceptedContent(mcpReq.inputResponses, 'step1', nameForm)?.name;
    if (name === undefined) {
      return inputRequired({
        inputRequests: { step1: askForName('Step 1: What is your name?') },
        requestState: await requestState.mint({ tool, round: 1 }),
      });
    }
    const color = acceptedContent(mcpReq.inputResponses, 'step2', colorForm)?.color;
    if (color !== undefined) return textResult(`${name} likes ${color}`);
    const message = 'Step 2: What is your favorite color?';
    return inputRequired({
      inputRequests: { step2: inputRequired.elicit({ message, requestedSchema: colorForm }) },
      requestState: await requestState.mint({ tool, round: 2, name }),
    });
  });
}

function askForName(message: string) {
  return inputRequired.elicit({ message, requestedSchema: nameForm });
}

function askModel(prompt: string, maxTokens: number) {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens,
  });
}
