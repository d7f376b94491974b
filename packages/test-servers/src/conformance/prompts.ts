import { acceptedContent, completable, inputRequired, type McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { image, text } from './sample-data.js';

const words = ['paris', 'park', 'party', 'test', 'testing'];
const word = completable(z.string(), (start) => words.filter((candidate) => candidate.startsWith(start)));
const contextForm = z.object({ context: z.string() });

export function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments' }, () => ({
    messages: [{ role: 'user', content: text('This is a simple prompt for testing.') }],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A prompt with two arguments', argsSchema: z.object({ arg1: word, arg2: word }) },
    ({ arg1, arg2 }) => ({
      messages: [{ role: 'user', content: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`) }],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt with a resource in it', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        { role: 'user', content: text('Please process the embedded resource above.') },
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image in it' }, () => ({
    messages: [
      { role: 'user', content: image },
      { role: 'user', content: text('Please analyze the image above.') },
    ],
  }));
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that asks the user first' },
    ({ mcpReq }) => {
      const user = acceptedContent(mcpReq.inputResponses, 'user_context', contextForm);
      if (user) return { messages: [{ role: 'user', content: text(`Prompt with context: ${user.context}`) }] };
      const message = 'What context should the prompt use?';
      return inputRequired({
        inputRequests: { user_context: inputRequired.elicit({ message, requestedSchema: contextForm }) },
      });
    },
  );
}
